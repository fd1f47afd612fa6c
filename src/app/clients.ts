import type { ApiConfig, OrgConfig } from '../config/config.ts';
import type { Instruments } from '../exposition/instruments.ts';
import { createPlatformClient, type PlatformClient } from '../platform/client.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Traffic } from './traffic.ts';

/** Dependencies shared by the clients of all organizations. */
interface ClientParts {
  readonly traffic: Traffic;
  readonly version: string;
  readonly instruments: Instruments;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  /** Throws if no request may be sent now. */
  readonly demand?: (() => void) | undefined;
}

/**
 * Creates the client of an organization; throws a `ConfigError` on an invalid address or proxy. Successive clients of
 * one organization share its traffic.
 */
export function createOrgClient(org: OrgConfig, api: ApiConfig, parts: ClientParts): PlatformClient {
  const { traffic, instruments, version, clock, random, log, demand } = parts;
  const { timeout: timeoutMs, retries, requestsPerSecond, maxResponseBytes, proxy, readinessPath } = api;
  return createPlatformClient({
    org: org.name,
    baseUrl: org.baseUrl,
    appUrl: org.appUrl,
    credential: () => org.credential.read(),
    observer: { request: instruments.apiRequest, retry: instruments.retry },
    ...traffic.of(org),
    knownPaths: traffic.pathsOf(org),
    paths: readinessPath === undefined ? {} : { readiness: readinessPath },
    ...{ timeoutMs, retries, requestsPerSecond, maxResponseBytes, proxy },
    ...{ version, clock, random, log, demand },
  });
}
