import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { collectors } from '../../src/collectors/index.ts';
import type { CommandContext } from '../../src/commands/command.ts';
import { parseArguments } from '../../src/config/arguments.ts';
import type { OptionTable } from '../../src/config/option.ts';
import { createOptions } from '../../src/config/options.ts';
import { shardOf } from '../../src/config/shard.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createFaultyPlatform } from '../client/faulty/platform.ts';
import { createFakeFiles } from '../support/fake-files.ts';
import { writtenTo } from '../support/written.ts';

/** A context for a command, and the output of the command so far. */
export function createContext(
  options: OptionTable,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = {},
): { context: CommandContext; stdout(): string; stderr(): string } {
  const parsed = parseArguments(args, options);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  return {
    context: {
      environment,
      files: createFakeFiles(new Map(Object.entries(files))),
      stdout,
      stderr,
      version: '1.2.3',
      stopSignal: () => new AbortController().signal,
      onHangup: () => undefined,
      flags: parsed.help ? new Map() : parsed.flags,
    },
    stdout: () => writtenTo(stdout),
    stderr: () => writtenTo(stderr),
  };
}

/** A small simulated platform with faults, until the test has ended. */
export async function startPlatform(): Promise<{ platform: Sandbox; url: string }> {
  const platform = createFaultyPlatform({ now: Date.now, users: 30, repos: 3 });
  const { url } = await platform.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => platform.close());
  return { platform, url };
}

/** A context for a command about the past of the organization of a platform, by default that one, which nothing stores. */
export async function createPastContext(options: OptionTable, args: readonly string[], platform?: string) {
  const url = platform ?? (await startPlatform()).url;
  const all = [
    ...[`--api.base-url=${url}`, '--org=acme', '--api.requests-per-second=1000', '--api.retries=0'],
    ...['--storage.path=:memory:', '--history.start=2026-09-01', ...args],
  ];
  const table = { ...createOptions(collectors), ...options };
  return createContext(table, all, { AGENT_PLATFORM_API_KEY: 'sandbox-acme-owner' });
}

/** The same of a shard that serves no organization. */
export function createEmptyShardContext(options: OptionTable) {
  const args = ['--api.base-url=http://127.0.0.1:1', '--storage.path=:memory:', '--total-shards=2'];
  const table = { ...createOptions(collectors), ...options };
  const shard = `--shard=${1 - shardOf('default', 2)}`;
  return createContext(table, [...args, shard], { AGENT_PLATFORM_API_KEY: 'key' });
}
