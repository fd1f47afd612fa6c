import { once } from 'node:events';
import { App } from '../app/app.ts';
import { collectors } from '../collectors/index.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { revisionOf } from '../config/resolve.ts';
import { createTerminal } from '../log/terminal-progress.ts';
import { createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';

/** Polls the configured organizations and serves their metrics until stopped; exit code 1 if that became impossible. */
export function run(context: CommandContext): Promise<number> {
  const load = () => loadConfig({ ...context, collectors });
  return withService(context, false, load, async ({ log }, { port, scheme, config }, ended) => {
    log.info('Serving', {
      version: context.version,
      port,
      scheme,
      path: config.web.telemetryPath,
      organizations: config.orgs.length,
      ...(config.shard.total > 1 && { shard: config.shard.index, shards: config.shard.total }),
    });
    const code = await ended;
    log.info('Stopping');
    return code;
  });
}

/** Creates the service as commands run it: with the machine's clock and the log on standard error. */
export async function openApp(
  context: CommandContext,
  config: Config,
  simulated: boolean,
  loadConfig?: () => Promise<Config>,
): Promise<App> {
  const clock = createSystemClock();
  const terminal = createTerminal(context.stderr, clock);
  return App.open({
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

/** Where a service listens, and the configuration that it began with. */
interface Started extends Awaited<ReturnType<App['start']>> {
  readonly config: Config;
}

/**
 * Runs the service, which each SIGHUP lets reload its configuration, during the work: that gets the promise of an exit code,
 * which resolves once the process is told to stop, or the service cannot do its work.
 */
export async function withService(
  context: CommandContext,
  simulated: boolean,
  load: () => Promise<Config>,
  work: (service: App, started: Started, ended: Promise<number>) => Promise<number>,
): Promise<number> {
  const started = Promise.withResolvers<App>();
  // From now on, because its default would end the process. Until the start, a reload waits.
  context.onHangup(() => void started.promise.then((running) => running.reload()));
  const config = await load();
  const service = await openApp(context, config, simulated, load);
  // Not before: while it waits for a store, a signal may end the process at once.
  const stopped = untilStopped(context).then(() => 0);
  try {
    const address = await service.start();
    started.resolve(service);
    return await work(service, { ...address, config }, Promise.race([stopped, service.failed]));
  } finally {
    await service.stop();
  }
}

/** Resolves when the process is told to stop. */
export async function untilStopped(context: CommandContext): Promise<void> {
  const signal = context.stopSignal();
  if (!signal.aborted) await once(signal, 'abort');
}
