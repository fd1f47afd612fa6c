import { filledOn, fillsOf } from '../catalog/collector.ts';
import type { DatasetName } from '../catalog/dataset.ts';
import type { Platform } from '../catalog/platform.ts';
import { DEFAULT_PLATFORM } from '../catalog/settings.ts';
import type { ConfiguredOrg } from '../catalog/source.ts';
import type { PlatformClientDeps } from '../client/client.ts';
import { createDailyQuota, type DailyQuota } from '../client/daily-quota.ts';
import type { KnownPaths } from '../client/paths.ts';
import { createReadingMemory } from '../client/reading-memory.ts';
import { createThrottleHolds, type ThrottleHolds } from '../client/throttle-holds.ts';
import type { ApiConfig, OrgConfig } from '../config/config.ts';
import type { Logger } from '../log/logger.ts';
import { createIdentityCheck, type IdentityCheck } from '../pipeline/identity.ts';
import { defaultPlatform, isIdentityOn, requestsPerSecondOf } from '../platforms/index.ts';
import type { PausedPart } from '../server/handlers.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from '../work/clock.ts';
import { createPacingLimiter, type PacingLimiter } from '../work/rate-limiters.ts';

/** Rate limit, daily quota and pauses of one organization, the identity check of its answers, and the memory that all share. */
type OrgTraffic = {
  // The client's own names, checked here: it spreads this object, where the compiler would not report an unknown name.
  readonly [Part in 'limiter' | 'dailyQuota' | 'throttleHolds' | 'identity' | 'memory']-?: NonNullable<
    PlatformClientDeps[Part]
  >;
};

/** The state of an organization that does not depend on its address; changed settings are applied to it. */
interface OwnTraffic {
  readonly dailyQuota: DailyQuota;
  readonly identity: IdentityCheck;
}

/** The settings of all traffic, as plain values. A reload replaces them as a whole. */
interface TrafficSettings {
  readonly api: Pick<ApiConfig, 'requestsPerSecond' | 'dailyRequestLimit'>;
  /** The platform and the configured identifier of each organization, by name. */
  readonly identities: ReadonlyMap<string, Pick<OrgConfig, 'orgId' | 'platform' | 'baseUrl' | 'kind'>>;
  /** The collected datasets of days: their answers name the organization. */
  readonly dayDatasets: readonly DatasetName[];
}

/** An organization and its address: pauses of another platform do not apply. */
type OrgAddress = Pick<OrgConfig, 'name' | 'baseUrl'>;

interface TrafficParts {
  readonly history: Pick<Store, 'requestsOf' | 'putRequests' | 'standing' | 'adopt' | 'putConfirmedKey'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The traffic of all organizations. It outlives the clients, which a reload replaces. */
export class Traffic {
  readonly #history: TrafficParts['history'];
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #orgs = new Map<string, OwnTraffic>();
  /** A limiter per organization; one for several entries if the platform counts their requests together. */
  readonly #limiters = new Map<string, PacingLimiter>();
  readonly #pauses = new Map<string, ThrottleHolds>();
  readonly #paths = new Map<string, KnownPaths>();
  readonly #memory = createReadingMemory();
  #settings: TrafficSettings;

  constructor({ history, clock, log }: TrafficParts, settings: TrafficSettings) {
    this.#history = history;
    this.#clock = clock;
    this.#log = log;
    this.#settings = settings;
  }

  of(org: OrgAddress): OrgTraffic {
    const known = this.#orgs.get(org.name) ?? this.#create(org.name);
    this.#orgs.set(org.name, known);
    return {
      ...known,
      limiter: this.#limiterOf(org.name),
      throttleHolds: this.#pausesAt(org),
      memory: this.#memory,
    };
  }

  /** The paths that have answered at an organization's addresses. */
  pathsOf({ name, baseUrl, appUrl }: Pick<OrgConfig, 'name' | 'baseUrl' | 'appUrl'>): KnownPaths {
    const key = `${name} ${baseUrl} ${appUrl}`;
    const known = this.#paths.get(key) ?? new Map();
    this.#paths.set(key, known);
    return known;
  }

  /** The pauses in force for these organizations, with their ends. */
  pausesOf(asked: Iterable<OrgAddress>): readonly PausedPart[] {
    return [...asked].flatMap((org) => [
      ...this.#quotaPausesOf(org),
      ...this.#pausesAt(org)
        .active()
        .map((pause) => ({ org: org.name, ...pause })),
    ]);
  }

  /** The number of an organization's requests on the current UTC day. */
  requestsToday(org: string) {
    return this.#orgs.get(org)?.dailyQuota.today();
  }

  /** Applies other settings from the next request on. */
  use(next: TrafficSettings): void {
    this.#settings = next;
    for (const [org, { dailyQuota, identity }] of this.#orgs) {
      this.#limiterOf(org);
      dailyQuota.setLimit(next.api.dailyRequestLimit);
      identity.use(this.#identityOf(org));
    }
  }

  /** Reads the request counts again, after another process has sent requests. */
  restart(): void {
    for (const limiter of this.#limiters.values()) limiter.restart();
    for (const { dailyQuota } of this.#orgs.values()) dailyQuota.forget();
  }

  /** Stores the request counts. */
  async close(): Promise<void> {
    // A count that cannot be stored was reserved before its requests were sent.
    await Promise.allSettled([...this.#orgs.values()].map(({ dailyQuota }) => dailyQuota.close()));
  }

  #create(org: string): OwnTraffic {
    const { dailyRequestLimit: limit } = this.#settings.api;
    const [history, clock, log] = [this.#history, this.#clock, this.#log];
    return {
      dailyQuota: createDailyQuota({
        limit,
        store: {
          read: () => history.requestsOf(org),
          write: (count) => history.putRequests(org, count),
        },
        clock,
      }),
      identity: createIdentityCheck({ org, ...this.#identityOf(org), history, clock, log }),
    };
  }

  /** The limiter with its present rate: the lower one of the configured and the platform's rate. */
  #limiterOf(org: string): PacingLimiter {
    const { orgId, platform } = this.#settings.identities.get(org) ?? {};
    const isShared = platform?.requestsPerMinute !== undefined && orgId !== undefined;
    const key = isShared ? `identity ${orgId}` : `organization ${org}`;
    const rate = requestsPerSecondOf(platform, this.#settings.api.requestsPerSecond);
    const known = this.#limiters.get(key);
    known?.setRate(rate);
    const limiter = known ?? createPacingLimiter(rate, this.#clock);
    this.#limiters.set(key, limiter);
    return limiter;
  }

  #identityOf(org: string) {
    const configured = this.#settings.identities.get(org);
    const { orgId, platform = defaultPlatform, baseUrl = '', kind } = configured ?? {};
    const endpoints = filledOn(this.#settings.dayDatasets, { fills: fillsOf(platform) });
    const place = { baseUrl, kind };
    return { orgId, platform, configured: place, endpoints, ...historyOn(platform, place) };
  }

  #pausesAt({ name, baseUrl }: OrgAddress): ThrottleHolds {
    const key = `${name} ${baseUrl}`;
    const known = this.#pauses.get(key) ?? createThrottleHolds(this.#clock);
    this.#pauses.set(key, known);
    return known;
  }

  #quotaPausesOf({ name }: OrgAddress): readonly PausedPart[] {
    const error = this.#orgs.get(name)?.dailyQuota.usedUp();
    if (error?.retryAt === undefined) return [];
    return [{ org: name, scope: 'organization', until: error.retryAt, error, isOwnLimit: true }];
  }
}

/** Rules for whether data stored under an organization's name belongs to it on a platform. */
export function historyOn(platform: Platform, configured: ConfiguredOrg) {
  const unnamed: 'ours' | 'foreign' = platform.name === DEFAULT_PLATFORM ? 'ours' : 'foreign';
  const alone = platform.identityAlone?.(configured);
  return { isOwn: (orgId: string) => isIdentityOn(platform, orgId, alone), unnamed };
}

/** The settings of a configuration's traffic. */
export function trafficSettings(
  config: { readonly api: ApiConfig; readonly orgs: readonly OrgConfig[] },
  dayDatasets: readonly DatasetName[],
): TrafficSettings {
  const identities = new Map<string, OrgConfig>();
  for (const org of config.orgs) identities.set(org.name, org);
  return { api: config.api, dayDatasets, identities };
}
