import type { Config } from '../config/config.ts';
import type { Files } from '../files/reader.ts';
import type { Logger } from '../log/logger.ts';
import type { WebConfig } from '../web-config/web-config.ts';
import type { Clock } from '../work/clock.ts';

const healthPaths = ['/-/healthy', '/-/ready'];
/** The routes without passwords: hook senders send a bearer token in the same header, and the route checks it. */
const tokenPaths = ['/hooks/events'];

/** How the service is served, if it has a web configuration file; otherwise by plain HTTP without authentication. */
export async function openServiceWeb(parts: {
  readonly config: Config['web'];
  readonly files: Files;
  readonly clock: Clock;
  readonly log: Logger;
}): Promise<WebConfig | undefined> {
  const { configFile: file, openHealth } = parts.config;
  if (file === undefined) return undefined;
  // Loaded on first use: its libraries must not delay a start without such a file.
  const { openWebConfig } = await import('../web-config/web-config.ts');
  return openWebConfig({ ...parts, file, openPaths: openHealth ? healthPaths : [], tokenPaths });
}
