import { copyFileSync, existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { isObject } from '../catalog/object.ts';
import { hookConfigOptions } from '../config/command-options.ts';
import { loadValues } from '../config/load.ts';
import { defaultEvents, mergeAgentConfig, parseExactly } from '../hooks/agent-config.ts';
import { expandHome, findPaths } from '../hooks/paths.ts';
import { createSystemClock } from '../runtime/clock.ts';
import { attempt, ConfigError, messageOf } from '../runtime/errors.ts';
import { codeOf, readNow, writeWhole } from '../runtime/files.ts';
import { unreadable } from '../runtime/text-file.ts';
import type { CommandContext } from './command.ts';
import { ownCommand } from './own-command.ts';

const standardFile = '~/.factory/hooks.json';
const FIX = 'fix the file, or give another one with --file';

/** Prints a hooks configuration for the agent, or merges it into the agent's file. */
export async function run(context: CommandContext): Promise<number> {
  const values = await loadValues(hookConfigOptions, context);
  const events = values.event.length === 0 ? defaultEvents : values.event;
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
  const done = merge(file, (existing) => mergeAgentConfig(existing, events, hook, isSettings));
  context.stdout.write(`${done.join('\n')}\n`);
  return 0;
}

/** Changes a JSON file and keeps a backup; returns what was done, in lines. */
function merge(
  named: string,
  change: (existing: Readonly<Record<string, unknown>>) => ReturnType<typeof mergeAgentConfig>,
): readonly string[] {
  const { file, text } = fileNow(named);
  const content = text?.replace(/^\ufeff/, '') ?? '';
  const existing = content.trim() === '' ? {} : attempt(() => parseExactly(content));
  if (existing === undefined) {
    throw new ConfigError(`${named} is not valid JSON; nothing was changed`, FIX);
  }
  if (!isObject(existing)) throw new ConfigError(`${named} is not a JSON object; nothing was changed`);
  const indent = /^[ \t]+(?=")/m.exec(content)?.[0] ?? '  ';
  const { config, left } = changed(existing);
  const notes = left.map(
    (event) => `${event}: a command line of your own runs the hook and was left as it is`,
  );
  let whole = `${JSON.stringify(config, null, indent)}\n`;
  if (text !== undefined && JSON.stringify(parseExactly(whole)) === JSON.stringify(existing)) {
    return [`${named} is up to date`, ...notes];
  }
  // Spelled as before.
  if (content.includes('\r\n')) whole = whole.replaceAll('\n', '\r\n');
  if (text !== undefined && text !== content) whole = `\ufeff${whole}`;
  try {
    const backup = text === undefined ? '' : `; backup in ${keepOld(file)}`;
    writeWhole(file, whole, { mode: statSync(file, { throwIfNoEntry: false })?.mode });
    return [`wrote ${named}${backup}`, ...notes];
  } catch (error) {
    throw new ConfigError(`${named} cannot be written (${codeOf(error)})`);
  }

  function changed(former: Readonly<Record<string, unknown>>) {
    try {
      return change(former);
    } catch (error) {
      throw new ConfigError(`${named}: ${messageOf(error)}`, FIX);
    }
  }
}

/** The file behind symbolic links, and its text; undefined if it does not exist yet. */
function fileNow(named: string): { readonly file: string; readonly text: string | undefined } {
  try {
    const found = statSync(named, { throwIfNoEntry: false });
    // Reading a device may never end, and the file that is written would replace it.
    if (found?.isFile() === false && !found.isDirectory()) {
      throw new ConfigError(`${named} is not a regular file`);
    }
    const file = targetOf(named);
    return { file, text: found === undefined ? undefined : readNow(file) };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${named} ${unreadable(error)}`);
  }
}

/** The file behind symbolic links, such as into a directory of dotfiles; it need not exist yet. */
function targetOf(file: string): string {
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) return realpathSync(file);
  if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file;
  return targetOf(path.resolve(realpathSync(path.dirname(file)), readlinkSync(file)));
}

function keepOld(file: string): string {
  const now = new Date(createSystemClock().now()).toISOString().replace(/\.\d+/, '').replaceAll(':', '-');
  let backup = `${file}.${now}.bak`;
  for (let nth = 2; existsSync(backup); nth++) backup = `${file}.${now}-${nth}.bak`;
  copyFileSync(file, backup);
  return backup;
}
