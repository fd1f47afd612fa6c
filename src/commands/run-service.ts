import { createService, type Service } from '../app/service.ts';
import type { Config } from '../config/config.ts';
import { revisionOf } from '../config/environment.ts';
import { watchFile } from '../config/files.ts';
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
    ...(terminal && { progress: terminal.fetching }),
    ...(loadConfig && { loadConfig }),
  });
}

/** Reloads the configuration of a service: at each SIGHUP, and when a watched file changes. */
interface ReloadTriggers {
  /** Reloads that were requested before are done now. */
  attach(service: Service, config: Config): void;
  stop(): void;
}

/** Listens for SIGHUP from now on, because its default would end the process. */
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

/** Resolves when the process is told to stop. */
export function untilStopped(context: CommandContext): Promise<void> {
  const signal = context.stopSignal();
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
