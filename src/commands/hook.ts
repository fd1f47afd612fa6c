import { hookOptions } from '../config/command-options.ts';
import { loadValues } from '../config/load.ts';
import { findPaths } from '../hooks/paths.ts';
import { ConfigError } from '../runtime/errors.ts';
import type { CommandContext } from './command.ts';

/** Reads one event, or checks, tests or flushes. */
export async function run(context: CommandContext): Promise<number> {
  const values = await loadValues(hookOptions, context);
  const { check, test, flush } = values;
  if ([check, test, flush].filter(Boolean).length > 1) {
    throw new ConfigError('--check, --test and --flush are mutually exclusive');
  }
  const given = { config: values.config, stateDir: values['state-dir'] };
  const paths = findPaths(given, context.environment);
  if (check) return (await import('./hook-check.ts')).checkHook(paths, context);
  if (test) return (await import('./hook-test.ts')).testHook(paths, context);
  if (flush) return (await import('./hook-flush.ts')).flushHook(paths, context);
  // The program's own entry point bypasses everything that is loaded here.
  const { hook } = await import('../hook.ts');
  const flags = Object.entries(given).flatMap(([, value], index) =>
    value === undefined ? [] : [`--${index === 0 ? 'config' : 'state-dir'}=${value}`],
  );
  await hook(flags);
  return 0;
}
