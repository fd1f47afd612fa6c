import type { Config } from '../config/config.ts';
import { revisionOf } from '../config/environment.ts';
import { type Clock, createSystemClock } from '../runtime/clock.ts';
import { createService, type Service, type ServiceParts } from '../service.ts';
import type { CommandContext, Output } from './command.ts';
import { createStatusLine, createTerminalProgress } from './terminal-progress.ts';

/** Puts the exporter together as a command runs it: by the machine's clock, with the log on standard error. */
export async function createRealService(
  context: CommandContext,
  config: Config,
  simulated: boolean,
): Promise<Service> {
  const clock = createSystemClock();
  return createService({
    config,
    version: context.version,
    revision: revisionOf(context.environment),
    clock,
    random: Math.random,
    ...logOf(context.stderr, clock),
    simulated,
  });
}

/** Where the log goes, and on a terminal the bar below it. */
function logOf(stderr: Output, clock: Clock): Pick<ServiceParts, 'stderr' | 'progress'> {
  if (stderr.isTTY !== true) return { stderr };
  const line = createStatusLine(stderr);
  return {
    stderr: line.stream,
    progress: createTerminalProgress(line, clock, () => stderr.columns),
  };
}

/** Resolves when the process is asked to stop. */
export function untilStopped(context: CommandContext): Promise<void> {
  const signal = context.stopSignal();
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
