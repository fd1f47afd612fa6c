import { collectors } from '../collectors/index.ts';
import { loadConfig } from '../config/load.ts';
import type { CommandContext } from './command.ts';
import { createRealService, untilStopped } from './run-service.ts';

/** Polls the configured organizations and serves their metrics until asked to stop. */
export async function run(context: CommandContext): Promise<number> {
  const config = await loadConfig({ ...context, collectors });
  const service = await createRealService(context, config, false);
  const stopped = untilStopped(context);
  const { port, scheme } = await service.start();
  service.log.info('Serving', {
    version: context.version,
    port,
    scheme,
    path: config.web.telemetryPath,
    organizations: config.orgs.length,
    ...(config.shard.total > 1 && { shard: config.shard.index, shards: config.shard.total }),
  });
  await stopped;
  service.log.info('Stopping');
  await service.stop();
  return 0;
}
