import { isDeepStrictEqual } from 'node:util';
import { fillsOf, isDayCollector } from '../catalog/collector.ts';
import { idleRowWith } from '../catalog/dataset.ts';
import type { Platform } from '../catalog/platform.ts';
import { DEFAULT_PLATFORM, type OrgSettings, type PeopleSettings } from '../catalog/settings.ts';
import type { PlatformClient } from '../client/client.ts';
import { collectors } from '../collectors/index.ts';
import type { ApiConfig, LiveConfig, OrgConfig } from '../config/config.ts';
import type { Core } from './core.ts';

/** An organization as it is polled and published. */
export interface DeployedOrg {
  readonly config: OrgConfig;
  readonly settings: OrgSettings;
  readonly connection: ReturnType<typeof createConnection>;
}

/** The inputs of deploying an organization. */
interface OrgParts {
  readonly org: OrgConfig;
  readonly config: LiveConfig;
  readonly people: PeopleSettings;
}

/** The settings of an organization under a configuration. */
export function orgSettings(
  org: OrgConfig,
  { readiness }: Pick<LiveConfig, 'readiness'>,
  people: PeopleSettings,
): OrgSettings {
  const { name, contract, daysOff, platform } = org;
  const { name: platformName, money, days } = platform;
  const identityAlone = platform.identityAlone?.(org);
  const fills = fillsOf(platform);
  const idleRows = idleRowsOn(platform);
  const place = { name, platform: platformName, identityAlone, fills, idleRows, days, money };
  return { ...place, readiness, contract, daysOff, people };
}

/** By dataset, the row of a day without activity on a platform; none for the default platform, whose rows the datasets declare. */
function idleRowsOn(platform: Platform): OrgSettings['idleRows'] {
  if (platform.name === DEFAULT_PLATFORM) return undefined;
  const rows = collectors.filter(isDayCollector).map(({ dataset }) => {
    const { members = {} } = platform.fields[dataset.name] ?? {};
    return [dataset.name, idleRowWith(dataset, Object.keys(members))] as const;
  });
  return Object.fromEntries(rows);
}

/** Whether people are identified and assigned to teams in the same way. */
export function showSamePeople(one: PeopleSettings, other: PeopleSettings): boolean {
  return one.identity === other.identity && one.teamRules === other.teamRules;
}

/** The earlier object if both settings are equal, budgets of teams included. */
export function samePeople(before: PeopleSettings | undefined, now: PeopleSettings): PeopleSettings {
  const isSame =
    before !== undefined &&
    showSamePeople(before, now) &&
    isDeepStrictEqual(before.teamBudgets, now.teamBudgets);
  return isSame ? before : now;
}

/** Deploys an organization. Reuses settings and connection of the previous deployment if they are unchanged. */
export function deployOrg(
  { org, config, people }: OrgParts,
  core: Pick<Core, 'createClient'>,
  before: DeployedOrg | undefined,
): DeployedOrg {
  const { api } = config;
  const settings = orgSettings(org, config, people);
  const isSame = before !== undefined && isDeepStrictEqual(before.settings, settings);
  return {
    config: org,
    settings: isSame ? before.settings : settings,
    connection:
      before?.connection.fits(org, api) === true ? before.connection : createConnection(org, api, core),
  };
}

/** The client of an organization, created on first use so that its libraries do not delay the first scrape. */
function createConnection(org: OrgConfig, api: ApiConfig, core: Pick<Core, 'createClient'>) {
  let client: Promise<PlatformClient> | undefined;
  const keyNow = () => org.credential.secrets().at(-1);
  let key = keyNow();
  return {
    credential: org.credential,
    /** Whether the key has changed since the last call, or since the creation. */
    isRekeyed(): boolean {
      const before = key;
      key = keyNow();
      return key !== before;
    },
    /** Creates the client; rejects with a `ConfigError` on an invalid address or proxy. */
    open(): Promise<PlatformClient> {
      client ??= core.createClient(org, api);
      return client;
    },
    close(): void {
      // A client that could not be created need not be closed.
      client?.then(({ close }) => close()).catch(() => undefined);
    },
    /** Whether a client with these settings would be the same. */
    fits(other: OrgConfig, otherApi: ApiConfig): boolean {
      return (
        isDeepStrictEqual(settingsOf(org, api), settingsOf(other, otherApi)) &&
        org.credential.describe() === other.credential.describe() &&
        keyNow() === other.credential.secrets().at(-1)
      );
    },
  };
}

/** Whether settings or the key of an organization have changed, so that failing jobs may succeed. */
export function isTouched(before: DeployedOrg | undefined, now: DeployedOrg | undefined): boolean {
  const plain = (org: DeployedOrg | undefined) => org && { ...org.config, credential: undefined };
  return before?.connection !== now?.connection || !isDeepStrictEqual(plain(before), plain(now));
}

/** The settings for which a client must be replaced. Rate and daily quota change without a new client. */
function settingsOf(org: OrgConfig, api: ApiConfig) {
  const { name, platform, orgId, baseUrl, appUrl, account, kind, linkHosts } = org;
  const { timeout, retries, maxResponseBytes, proxy, readinessPath } = api;
  const place = { name, platform, orgId, baseUrl, appUrl, account, kind, linkHosts };
  return { ...place, timeout, retries, maxResponseBytes, proxy, readinessPath };
}
