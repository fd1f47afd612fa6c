import { Client, type PlatformClient } from '../client/client.ts';
import type { ApiConfig, OrgConfig } from '../config/config.ts';
import type { Instruments } from '../exposition/instruments.ts';
import type { Logger } from '../log/logger.ts';
import { requestsPerSecondOf } from '../platforms/index.ts';
import type { Clock } from '../work/clock.ts';
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
  return new Client({
    ...clientSettings(org, api),
    observer: {
      request: (attempt) => instruments.apiRequest(attempt),
      retry: (retried) => instruments.retry(retried),
    },
    ...traffic.of(org),
    knownPaths: traffic.pathsOf(org),
    version,
    clock,
    random,
    log,
    demand,
  });
}

/** How the client of an organization reaches the platform, as configured; times in milliseconds. */
export function clientSettings(org: OrgConfig, api: ApiConfig) {
  const { timeout: timeoutMs, retries, maxResponseBytes, proxy, readinessPath } = api;
  const { platform, baseUrl, account, kind, orgId } = org;
  return {
    org: org.name,
    configured: { baseUrl, account, kind, orgId },
    baseUrl,
    appUrl: org.appUrl,
    credential: () => org.credential.read(),
    paths: readinessPath === undefined ? {} : { readiness: readinessPath },
    timeoutMs,
    retries,
    requestsPerSecond: requestsPerSecondOf(platform, api.requestsPerSecond),
    maxResponseBytes,
    proxy,
    headers: platform.headers,
    advice: platform.advice,
    isNotYet: platform.isNotYet,
    pauseOf: platform.pauseOf,
    linkHosts: org.linkHosts,
  };
}
