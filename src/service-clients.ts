import type { Config } from './config/config.ts';
import type { Instruments } from './exposition/instruments.ts';
import { createPlatformClient, type PlatformClient } from './platform/client.ts';
import type { Clock } from './runtime/clock.ts';
import type { Logger } from './runtime/logger.ts';

/** What the clients of all organizations share. */
export interface ClientsParts {
  readonly config: Config;
  readonly version: string;
  readonly instruments: Instruments;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
}

/** Creates the platform's client of each organization, by its name; throws a `ConfigError` on an address that is none. */
export function createClients(parts: ClientsParts): ReadonlyMap<string, PlatformClient> {
  const { config, instruments, ...shared } = parts;
  const observer = { request: instruments.apiRequest, retry: instruments.retry };
  return new Map(
    config.orgs.map(({ name, baseUrl, appUrl, credential }) => [
      name,
      createPlatformClient({
        org: name,
        baseUrl,
        appUrl,
        credential: () => credential.read(),
        ...config.api,
        ...shared,
        observer,
      }),
    ]),
  );
}
