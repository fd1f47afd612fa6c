import { once } from 'node:events';
import { createService, type Service } from '../app/service.ts';
import type { Config } from '../config/config.ts';
import { revisionOf } from '../config/environment.ts';
import { createSystemClock } from '../runtime/clock.ts';
import type { CommandContext } from './command.ts';
import { createTerminal } from './terminal-progress.ts';

/** Creates the service as commands run it: with the machine's clock and the log on standard error. */
export async function createRealService(
  context: CommandContext,
  config: Config,
  simulated: boolean,
  loadConfig?: () => Promise<Config>,
): Promise<Service> {
  const clock = createSystemClock();
  const terminal = createTerminal(context.stderr, clock);
  return createService({
    config,
    version: context.version,
    revision: revisionOf(context.environment),
    clock,
    random: Math.random,
    stderr: terminal?.stream ?? context.stderr,
    simulated,
    files: context.files,
    ...(terminal && { progress: terminal.fetching }),
    ...(loadConfig && { loadConfig }),
  });
}

/**
 * Listens for SIGHUP from now on, because its default would end the process. The function that it returns lets each reload a
 * service; one that was requested before is done then.
 */
export function reloadOnHangup(context: CommandContext): (service: Service) => void {
  let reload: (() => unknown) | undefined;
  let isWanted = false;
  context.onHangup(() => {
    isWanted = true;
    reload?.();
  });
  return (service) => {
    reload = () => service.reload();
    if (isWanted) reload();
  };
}

/** Resolves when the process is told to stop. */
export async function untilStopped(context: CommandContext): Promise<void> {
  const signal = context.stopSignal();
  if (!signal.aborted) await once(signal, 'abort');
}
