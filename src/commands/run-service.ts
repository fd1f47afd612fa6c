import { createService, type Service, type ServiceParts } from '../app/service.ts';
import type { Config } from '../config/config.ts';
import { revisionOf } from '../config/environment.ts';
import { watchFile } from '../config/watch.ts';
import { type Clock, createSystemClock } from '../runtime/clock.ts';
import type { CommandContext, Output } from './command.ts';
import { createStatusLine, createTerminalProgress } from './terminal-progress.ts';

/** Creates the service with the system clock and with the log on standard error. */
export async function createRealService(
  context: CommandContext,
  config: Config,
  simulated: boolean,
  loadConfig?: () => Promise<Config>,
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
    ...(loadConfig && { loadConfig }),
  });
}

/** The stream of the log, with a progress bar below it on a terminal. */
function logOf(stderr: Output, clock: Clock): Pick<ServiceParts, 'stderr' | 'progress'> {
  if (stderr.isTTY !== true) return { stderr };
  const line = createStatusLine(stderr);
  return {
    stderr: line.stream,
    progress: createTerminalProgress(line, clock, () => stderr.columns),
  };
}

/** Reloads a service on SIGHUP and, where `--config.watch` is set, when its configuration file changes. */
export interface ReloadTriggers {
  /** Starts reloading the service; a SIGHUP received before takes effect now. */
  attach(service: Service, config: Config): void;
  stop(): void;
}

/** Listens for SIGHUP, which would otherwise end the process. */
export function createReloadTriggers(context: CommandContext): ReloadTriggers {
  const stopping = new AbortController();
  let reload: (() => unknown) | undefined;
  let isWanted = false;
  context.onHangup(() => {
    isWanted = true;
    reload?.();
  });
  return {
    attach(service, { file }) {
      reload = () => service.reload();
      if (isWanted) reload();
      if (!file.watch || file.path === undefined) return;
      const parts = { files: context.files, clock: createSystemClock(), signal: stopping.signal };
      void watchFile(file.path, { ...parts, onChange: () => void service.reload() });
    },
    stop: () => stopping.abort(),
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
