import { collectors } from '../collectors/index.ts';
import { loadConfig } from '../config/load.ts';
import type { CommandContext } from './command.ts';
import { withService } from './run-service.ts';

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
