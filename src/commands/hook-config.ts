import path from 'node:path';
import { defaultEvents, mergeAgentConfig } from '../agent/agent-config.ts';
import { mergeAgentFile } from '../agent/agent-file.ts';
import { expandHome, findPaths } from '../agent/paths.ts';
import { hookConfigOptions } from '../config/command-options.ts';
import { loadValues } from '../config/load.ts';
import { ConfigError } from '../text/errors.ts';
import { createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';
import { ownCommand } from './own-command.ts';

const standardFile = '~/.factory/hooks.json';

/** Prints a hooks configuration for the agent, or merges it into the agent's file. */
export async function run(context: CommandContext): Promise<number> {
  const values = await loadValues(hookConfigOptions, context);
  const events = values.event.length === 0 ? defaultEvents : values.event;
  for (const event of events) {
    if (!/^[\w.-]{1,128}$/.test(event))
      throw new ConfigError('--event: must be the name of an event, such as Stop');
  }
  const { home, state } = findPaths({ config: undefined, stateDir: undefined }, context.environment);
  const command = values.command ?? ownCommand(context.environment, values.config);
  const hook = { command, timeout: values.timeout };
  if (!values.write) {
    if (values.file !== undefined) throw new ConfigError('--file: has no meaning without --write');
    context.stdout.write(`${JSON.stringify(mergeAgentConfig({}, events, hook).config, null, 2)}\n`);
    return 0;
  }
  const file = path.resolve(expandHome(values.file ?? standardFile, home));
  const lock = path.join(state, 'hook-config.lock');
  const done = await mergeAgentFile(file, events, hook, { lock, clock: createSystemClock() });
  context.stdout.write(`${done.join('\n')}\n`);
  return 0;
}
