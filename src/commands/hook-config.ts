import { copyFileSync, existsSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { hookConfigOptions } from '../config/command-options.ts';
import { loadValues } from '../config/load.ts';
import type { Environment } from '../config/process-environment.ts';
import { agentConfig, defaultEvents, mergeAgentConfig } from '../hooks/agent-config.ts';
import { codeOf } from '../hooks/code-of.ts';
import { isRecord } from '../hooks/event.ts';
import { expandHome, findPlaces } from '../hooks/places.ts';
import { writeWhole } from '../hooks/write-whole.ts';
import { createSystemClock } from '../runtime/clock.ts';
import { ConfigError, messageOf } from '../runtime/errors.ts';
import type { CommandContext } from './command.ts';

const standardFile = '~/.factory/hooks.json';

/** Prints a hooks configuration for the agent, or merges it into the agent's file. */
export async function run(context: CommandContext): Promise<number> {
  const values = await loadValues(hookConfigOptions, context);
  const events = values.event === undefined || values.event.length === 0 ? defaultEvents : values.event;
  for (const event of events) {
    if (!/^[\w.-]{1,128}$/.test(event))
      throw new ConfigError('--event: must be the name of an event, such as Stop');
  }
  const { home } = findPlaces({ config: undefined, stateDir: undefined }, context.environment);
  const command = values.command ?? ownCommand(context.environment, values.config);
  const wanted = { command, timeout: values.timeout };
  if (!values.write) {
    if (values.file !== undefined) throw new ConfigError('--file: needs --write');
    context.stdout.write(`${JSON.stringify(agentConfig(events, wanted), null, 2)}\n`);
    return 0;
  }
  const file = path.resolve(expandHome(values.file ?? standardFile, home));
  context.stdout.write(`${merge(file, (existing) => mergeAgentConfig(existing, events, wanted))}\n`);
  return 0;
}

/** Changes a JSON file and keeps a backup; returns a sentence that says what was done. */
function merge(
  named: string,
  change: (existing: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): string {
  // A symbolic link, such as into a folder of dot files, is kept.
  const file = existsSync(named) ? realpathSync(named) : named;
  const text = textOf(file);
  const existing = text === undefined || text.trim() === '' ? {} : parse(text, named);
  const indent = /^[ \t]+(?=")/m.exec(text ?? '')?.[0] ?? '  ';
  let changed: string;
  try {
    changed = `${JSON.stringify(change(existing), null, indent)}\n`;
  } catch (error) {
    throw new ConfigError(`${named}: ${messageOf(error)}`, 'fix the file, or name another one with --file');
  }
  if (text !== undefined && JSON.stringify(JSON.parse(changed)) === JSON.stringify(existing)) {
    return `${named} is up to date`;
  }
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    const backup = text === undefined ? undefined : keepOld(file);
    writeWhole(file, changed, statSync(file, { throwIfNoEntry: false })?.mode);
    return backup === undefined ? `wrote ${named}` : `wrote ${named}; the previous file is ${backup}`;
  } catch (error) {
    throw new ConfigError(`${named} cannot be written (${codeOf(error)})`);
  }
}

function keepOld(file: string): string {
  const now = new Date(createSystemClock().now()).toISOString().replace(/\.\d+/, '').replaceAll(':', '-');
  let backup = `${file}.${now}.bak`;
  for (let nth = 2; existsSync(backup); nth++) backup = `${file}.${now}-${nth}.bak`;
  copyFileSync(file, backup);
  return backup;
}

function textOf(file: string): string | undefined {
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file} cannot be read (${codeOf(error)})`);
  }
}

function parse(text: string, file: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ConfigError(
      `${file} is not JSON, and nothing was changed`,
      'fix the file, or name another one with --file',
    );
  }
  if (!isRecord(value)) throw new ConfigError(`${file} is not a JSON object, and nothing was changed`);
  return value;
}

const program = 'agent-platform-exporter';

/**
 * The command line that runs this program's `hook`: its name where PATH resolves to this installation, otherwise the
 * paths of Node and of the program.
 */
function ownCommand(environment: Environment, config: string | undefined): string {
  const script = fileURLToPath(new URL('../../bin/agent-platform-exporter.js', import.meta.url));
  const words = isOnPath(script, environment) ? [program] : [process.execPath, script];
  const flags = config === undefined ? [] : [`--config=${path.resolve(config)}`];
  return [...words, 'hook', ...flags].map(quotedForShell).join(' ');
}

function isOnPath(script: string, environment: Environment): boolean {
  const wanted = existsSync(script) ? realpathSync(script) : script;
  return (environment['PATH'] ?? '').split(path.delimiter).some((folder) => {
    const candidate = path.join(folder, program);
    return path.isAbsolute(folder) && existsSync(candidate) && realpathSync(candidate) === wanted;
  });
}

// Double quotes work in the shells of every system.
function quotedForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word)
    ? word
    : `"${word.replace(/["$`\\]/g, process.platform === 'win32' ? '$&' : '\\$&')}"`;
}
