import { findPaths } from '../agent/paths.ts';
import { settingsFor } from '../agent/settings/settings-for.ts';
import { hookOptions } from '../config/command-options.ts';
import { loadValues } from '../config/load.ts';
import { ConfigError } from '../text/errors.ts';
import type { CommandContext } from './command.ts';

/** Reads one event, or checks, tests or flushes. */
export async function run(context: CommandContext): Promise<number> {
  const values = await loadValues(hookOptions, context);
  const { check, test, flush } = values;
  if ([check, test, flush].filter(Boolean).length > 1) {
    throw new ConfigError('--check, --test and --flush are mutually exclusive');
  }
  const paths = findPaths({ config: values.config, stateDir: values['state-dir'] }, context.environment);
  if (check) return (await import('./hook-check.ts')).checkHook(settingsFor(paths), paths, context);
  if (test) return (await import('./hook-send.ts')).testHook(settingsFor(paths), context);
  if (flush) return (await import('./hook-send.ts')).flushHook(settingsFor(paths), paths, context);
  // The program's own entry point bypasses everything that is loaded here.
  const { hook } = await import('../hook.ts');
  const given = (['config', 'state-dir'] as const).filter((name) => values[name] !== undefined);
  await hook(given.map((name) => `--${name}=${values[name]}`));
  return 0;
}
