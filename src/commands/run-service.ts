import type { Config } from '../config/config.ts';
import { revisionOf } from '../config/environment.ts';
import { createSystemClock } from '../runtime/clock.ts';
import { createService, type Service } from '../service.ts';
import type { CommandContext } from './command.ts';

/** Puts the exporter together as a command runs it: by the machine's clock, with the log on standard error. */
export async function createRealService(
  context: CommandContext,
  config: Config,
  simulated: boolean,
): Promise<Service> {
  return createService({
    config,
    version: context.version,
    revision: revisionOf(context.environment),
    clock: createSystemClock(),
    random: Math.random,
    stderr: context.stderr,
    simulated,
  });
}

/** Resolves when the process is asked to stop. */
export function untilStopped(context: CommandContext): Promise<void> {
  const signal = context.stopSignal();
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
