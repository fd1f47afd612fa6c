import type { DatasetName } from '../catalog/dataset.ts';
import type { ApiConfig, OrgConfig } from '../config/config.ts';
import type { History } from '../history/history.ts';
import { createIdentityCheck, type IdentityCheck } from '../pipeline/identity.ts';
import type { PlatformClientDeps } from '../platform/client.ts';
import { type AdjustableDailyQuota, createDailyQuota } from '../platform/daily-quota.ts';
import { type ActiveHold, createThrottleHolds, type ThrottleHolds } from '../platform/limits.ts';
import type { Clock } from '../runtime/clock.ts';
import { type AdjustablePacingLimiter, createPacingLimiter } from '../runtime/rate-limiters.ts';

/** What paces, counts and holds back the requests of one organization, and which of its answers may be read. */
export type OrgTraffic = {
  // By the client's own names: it takes them by a spread, where the compiler does not report an unknown name.
  readonly [Part in 'limiter' | 'dailyQuota' | 'throttleHolds' | 'admission']-?: NonNullable<
    PlatformClientDeps[Part]
  >;
};

/** What the traffic keeps of an organization, whatever its address, and adjusts when the settings change. */
interface OwnTraffic {
  readonly limiter: AdjustablePacingLimiter;
  readonly dailyQuota: AdjustableDailyQuota;
  readonly admission: IdentityCheck;
}

/** The settings of the traffic: plain values, which are replaced as a whole. */
export interface TrafficSettings {
  readonly api: Pick<ApiConfig, 'requestsPerSecond' | 'dailyRequestLimit'>;
  /** The identifiers that the operator has configured, by the organizations' names. */
  readonly orgIds: ReadonlyMap<string, string | undefined>;
  /** The datasets that are collected by their days: their answers name the organization. */
  readonly dayDatasets: readonly DatasetName[];
}

/** An organization and where it is asked: another platform has asked for no pause. */
export type AskedOrg = Pick<OrgConfig, 'name' | 'baseUrl'>;

/** A part of an organization's platform that is not asked for a while. */
export interface PausedPart extends ActiveHold {
  readonly org: string;
  /** Whether the exporter's own limit is the reason, not the platform. */
  readonly isOwnLimit: boolean;
}

/** The traffic of all organizations. It outlives the clients, which a reload replaces. */
export interface Traffic {
  of(org: AskedOrg): OrgTraffic;
  /** What of these organizations is not asked now, and until when. */
  pausesOf(orgs: Iterable<AskedOrg>): readonly PausedPart[];
  /** Puts other settings in use, from the next request on. */
  use(settings: TrafficSettings): void;
  /** Stores the counts of requests. */
  close(): Promise<void>;
}

export interface TrafficParts {
  readonly history: Pick<History, 'requestsOf' | 'putRequests' | 'read' | 'adopt' | 'putConfirmedKey'>;
  readonly clock: Clock;
}

/** Creates the traffic; `settings` are those of the start. */
export function createTraffic({ history, clock }: TrafficParts, settings: TrafficSettings): Traffic {
  const orgs = new Map<string, OwnTraffic>();
  const pauses = new Map<string, ThrottleHolds>();
  let inUse = settings;

  function identityOf(org: string) {
    return { orgId: inUse.orgIds.get(org), endpoints: inUse.dayDatasets };
  }

  function create(org: string): OwnTraffic {
    return {
      limiter: createPacingLimiter(inUse.api.requestsPerSecond, clock),
      dailyQuota: createDailyQuota({
        limit: inUse.api.dailyRequestLimit,
        store: {
          read: () => history.requestsOf(org),
          write: (count) => history.putRequests(org, count),
        },
        clock,
      }),
      admission: createIdentityCheck({ org, ...identityOf(org), history, clock }),
    };
  }

  function pausesAt({ name, baseUrl }: AskedOrg): ThrottleHolds {
    const key = `${name} ${baseUrl}`;
    const known = pauses.get(key) ?? createThrottleHolds(clock);
    pauses.set(key, known);
    return known;
  }

  function quotaPausesOf({ name }: AskedOrg): readonly PausedPart[] {
    const error = orgs.get(name)?.dailyQuota.usedUp();
    if (error?.retryAt === undefined) return [];
    return [{ org: name, scope: 'organization', until: error.retryAt, error, isOwnLimit: true }];
  }

  return {
    of(org) {
      const known = orgs.get(org.name) ?? create(org.name);
      orgs.set(org.name, known);
      return { ...known, throttleHolds: pausesAt(org) };
    },
    pausesOf(asked) {
      return [...asked].flatMap((org) => [
        ...quotaPausesOf(org),
        ...pausesAt(org)
          .active()
          .map((pause) => ({ org: org.name, isOwnLimit: false, ...pause })),
      ]);
    },
    use(next) {
      inUse = next;
      for (const [org, { limiter, dailyQuota, admission }] of orgs) {
        limiter.setRate(next.api.requestsPerSecond);
        dailyQuota.setLimit(next.api.dailyRequestLimit);
        admission.use(identityOf(org));
      }
    },
    async close() {
      await Promise.all([...orgs.values()].map(({ dailyQuota }) => dailyQuota.close()));
    },
  };
}

/** The settings of a configuration's traffic. */
export function trafficSettings(
  config: { readonly api: ApiConfig; readonly orgs: readonly OrgConfig[] },
  dayDatasets: readonly DatasetName[],
): TrafficSettings {
  const { api, orgs } = config;
  return { api, dayDatasets, orgIds: new Map(orgs.map(({ name, orgId }) => [name, orgId])) };
}
