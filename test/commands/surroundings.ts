import { PassThrough } from 'node:stream';
import type { CommandContext } from '../../src/commands/command.ts';
import { parseArguments } from '../../src/config/arguments.ts';
import type { OptionTable } from '../../src/config/option.ts';
import { createFakeFiles } from '../support/fake-files.ts';

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
    stdout: () => textOf(stdout),
    stderr: () => textOf(stderr),
  };
}

function textOf(stream: PassThrough): string {
  const chunk: unknown = stream.read();
  return chunk === null ? '' : String(chunk);
}
