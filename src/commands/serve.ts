import { collectors } from '../collectors/index.ts';
import { loadConfig } from '../config/load.ts';
import type { CommandContext } from './command.ts';
import { createRealService, reloadOnHangup, untilStopped } from './run-service.ts';

/** Polls the configured organizations and serves their metrics until stopped; exit code 1 if that became impossible. */
export async function run(context: CommandContext): Promise<number> {
  const attach = reloadOnHangup(context);
  const load = () => loadConfig({ ...context, collectors });
  const config = await load();
  const service = await createRealService(context, config, false, load);
  const stopped = untilStopped(context);
  const { port, scheme } = await service.start();
  attach(service);
  service.log.info('Serving', {
    version: context.version,
    port,
    scheme,
    path: config.web.telemetryPath,
    organizations: config.orgs.length,
    ...(config.shard.total > 1 && { shard: config.shard.index, shards: config.shard.total }),
  });
  const code = await Promise.race([stopped.then(() => 0), service.failed]);
  service.log.info('Stopping');
  await service.stop();
  return code;
}
