import { copyFileSync, existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { hookConfigOptions } from '../config/command-options.ts';
import { loadValues } from '../config/load.ts';
import { defaultEvents, mergeAgentConfig, parseExactly } from '../hooks/agent-config.ts';
import { isRecord } from '../hooks/event.ts';
import { expandHome, findPaths } from '../hooks/paths.ts';
import { createSystemClock } from '../runtime/clock.ts';
import { ConfigError, messageOf } from '../runtime/errors.ts';
import { codeOf, readNow, writeWhole } from '../runtime/files.ts';
import { unreadable } from '../runtime/text-file.ts';
import type { CommandContext } from './command.ts';
import { ownCommand } from './own-command.ts';

const standardFile = '~/.factory/hooks.json';

/** Prints a hooks configuration for the agent, or merges it into the agent's file. */
export async function run(context: CommandContext): Promise<number> {
  const values = await loadValues(hookConfigOptions, context);
  const events = values.event === undefined || values.event.length === 0 ? defaultEvents : values.event;
  for (const event of events) {
    if (!/^[\w.-]{1,128}$/.test(event))
      throw new ConfigError('--event: must be the name of an event, such as Stop');
  }
  const { home } = findPaths({ config: undefined, stateDir: undefined }, context.environment);
  const command = values.command ?? ownCommand(context.environment, values.config);
  const hook = { command, timeout: values.timeout };
  if (!values.write) {
    if (values.file !== undefined) throw new ConfigError('--file: has no meaning without --write');
    context.stdout.write(`${JSON.stringify(mergeAgentConfig({}, events, hook).config, null, 2)}\n`);
    return 0;
  }
  const file = path.resolve(expandHome(values.file ?? standardFile, home));
  // The agent's hooks are a file of their own, or a member of its settings.
  const isSettings = /^settings\b/i.test(path.basename(file));
  let left: readonly string[] = [];
  const done = merge(file, (existing) => {
    const merged = mergeAgentConfig(existing, events, hook, isSettings);
    left = merged.left;
    return merged.config;
  });
  context.stdout.write(`${done}\n`);
  for (const event of left) {
    context.stdout.write(`${event}: a command line of your own runs the hook and was left as it is\n`);
  }
  return 0;
}

/** Changes a JSON file and keeps a backup; returns a description of what was done. */
function merge(
  named: string,
  change: (existing: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): string {
  const file = targetOf(named);
  const text = textIn(file);
  const content = text?.replace(/^\ufeff/, '') ?? '';
  const existing = content.trim() === '' ? {} : parse(content, named);
  const indent = /^[ \t]+(?=")/m.exec(content)?.[0] ?? '  ';
  let changed: string;
  try {
    changed = `${JSON.stringify(change(existing), null, indent)}\n`;
  } catch (error) {
    throw new ConfigError(`${named}: ${messageOf(error)}`, 'fix the file, or give another one with --file');
  }
  if (text !== undefined && JSON.stringify(parseExactly(changed)) === JSON.stringify(existing)) {
    return `${named} is up to date`;
  }
  // Spelled as before.
  if (content.includes('\r\n')) changed = changed.replaceAll('\n', '\r\n');
  if (text !== undefined && text !== content) changed = `\ufeff${changed}`;
  try {
    const backup = text === undefined ? undefined : keepOld(file);
    writeWhole(file, changed, { mode: statSync(file, { throwIfNoEntry: false })?.mode });
    return backup === undefined ? `wrote ${named}` : `wrote ${named}; backup in ${backup}`;
  } catch (error) {
    throw new ConfigError(`${named} cannot be written (${codeOf(error)})`);
  }
}

/** The file behind symbolic links, such as into a directory of dotfiles; it need not exist yet. */
function targetOf(file: string): string {
  try {
    if (statSync(file, { throwIfNoEntry: false }) !== undefined) return realpathSync(file);
    if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file;
    return targetOf(path.resolve(realpathSync(path.dirname(file)), readlinkSync(file)));
  } catch (error) {
    throw error instanceof ConfigError ? error : new ConfigError(`${file} ${unreadable(error)}`);
  }
}

function keepOld(file: string): string {
  const now = new Date(createSystemClock().now()).toISOString().replace(/\.\d+/, '').replaceAll(':', '-');
  let backup = `${file}.${now}.bak`;
  for (let nth = 2; existsSync(backup); nth++) backup = `${file}.${now}-${nth}.bak`;
  copyFileSync(file, backup);
  return backup;
}

/** The text of a file; undefined if it does not exist. */
function textIn(file: string): string | undefined {
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
    return readNow(file);
  } catch (error) {
    throw new ConfigError(`${file} ${unreadable(error)}`);
  }
}

function parse(text: string, file: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseExactly(text);
  } catch {
    throw new ConfigError(
      `${file} is not valid JSON; nothing was changed`,
      'fix the file, or give another one with --file',
    );
  }
  if (!isRecord(value)) throw new ConfigError(`${file} is not a JSON object; nothing was changed`);
  return value;
}
