import type { DatasetName } from '../catalog/dataset.ts';
import type { Config, OrgConfig } from '../config/config.ts';
import type { Instruments } from '../exposition/instruments.ts';
import type { History } from '../history/history.ts';
import { createIdentityCheck } from '../pipeline/identity.ts';
import type { Admission } from '../platform/admission.ts';
import { createRequestCeiling, type RequestCeiling } from '../platform/ceiling.ts';
import { createPlatformClient, type PlatformClient } from '../platform/client.ts';
import { createRateLimiter, type RateLimiter } from '../platform/rate-limit.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';

/** What the clients of all organizations share. */
export interface ClientsParts {
  /** The configuration as it is now: it is asked for each request, so that a change counts from the next one on. */
  readonly config: () => Config;
  readonly history: Pick<History, 'requestsOf' | 'putRequests' | 'read' | 'adopt' | 'putConfirmedKey'>;
  /** The datasets that are collected by their days: their answers name the organization. */
  readonly dayDatasets: () => readonly DatasetName[];
  readonly version: string;
  readonly instruments: Instruments;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
}

/** Makes and ends the clients of organizations. */
export interface Clients {
  /**
   * Creates the client of an organization; throws a `ConfigError` on an address that is none. Two clients of one
   * organization, one after the other, share its pace and its requests of the day.
   */
  create(org: OrgConfig): PlatformClient;
  /** Stores the counts of requests. */
  close(): Promise<void>;
}

interface Traffic {
  readonly limiter: RateLimiter;
  readonly ceiling: RequestCeiling;
  readonly admission: Admission;
}

/** Creates what makes the clients. */
export function createClients(parts: ClientsParts): Clients {
  const { config, history, instruments, version, clock, random, log } = parts;
  const observer = { request: instruments.apiRequest, retry: instruments.retry };
  const traffic = new Map<string, Traffic>();

  function trafficOf(org: string): Traffic {
    const known = traffic.get(org);
    if (known !== undefined) return known;
    const made: Traffic = {
      limiter: createRateLimiter(() => config().api.requestsPerSecond, clock),
      ceiling: createRequestCeiling({
        limit: () => config().api.dailyRequestLimit,
        store: {
          read: () => history.requestsOf(org),
          write: (count) => history.putRequests(org, count),
        },
        clock,
      }),
      admission: createIdentityCheck({
        org,
        orgId: () => config().orgs.find(({ name }) => name === org)?.orgId,
        endpoints: parts.dayDatasets,
        history,
        clock,
      }),
    };
    traffic.set(org, made);
    return made;
  }

  return {
    create({ name, baseUrl, appUrl, credential: first }) {
      return createPlatformClient({
        org: name,
        baseUrl,
        appUrl,
        credential: () => (config().orgs.find((org) => org.name === name)?.credential ?? first).read(),
        get timeoutMs() {
          return config().api.timeoutMs;
        },
        get retries() {
          return config().api.retries;
        },
        get requestsPerSecond() {
          return config().api.requestsPerSecond;
        },
        get maxResponseBytes() {
          return config().api.maxResponseBytes;
        },
        proxy: config().api.proxy,
        ...trafficOf(name),
        ...{ version, clock, random, log, observer },
      });
    },
    async close() {
      await Promise.all([...traffic.values()].map(({ ceiling }) => ceiling.close()));
    },
  };
}
