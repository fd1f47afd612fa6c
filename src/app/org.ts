import { isDeepStrictEqual } from 'node:util';
import type { OrgSettings, PeopleSettings } from '../catalog/settings.ts';
import type { PlatformClient } from '../client/client.ts';
import type { ApiConfig, LiveConfig, OrgConfig } from '../config/config.ts';
import type { Core } from './core.ts';

/** An organization as it is polled and published. */
export interface DeployedOrg {
  readonly config: OrgConfig;
  readonly settings: OrgSettings;
  readonly connection: ReturnType<typeof createConnection>;
}

/** What an organization is deployed with. */
interface OrgParts extends Pick<DeployedOrg, 'config' | 'settings'> {
  readonly api: ApiConfig;
}

/** The settings of an organization under a configuration. */
export function orgSettings(
  { name, contract, daysOff }: OrgConfig,
  { readiness }: Pick<LiveConfig, 'readiness'>,
  people: PeopleSettings,
): OrgSettings {
  return { name, readiness, contract, daysOff, people };
}

/** Deploys an organization. The connection of the previous deployment is taken over if it fits. */
export function deployOrg(
  { config, api, settings }: OrgParts,
  core: Pick<Core, 'createClient'>,
  before: DeployedOrg | undefined,
): DeployedOrg {
  const kept = before?.connection.fits(config, api) === true ? before.connection : undefined;
  return { config, settings, connection: kept ?? createConnection(config, api, core) };
}

/** The client of an organization, created on first use so that its libraries do not delay the first scrape. */
function createConnection(org: OrgConfig, api: ApiConfig, core: Pick<Core, 'createClient'>) {
  let client: Promise<PlatformClient> | undefined;
  const keyNow = () => org.credential.secrets().at(-1);
  let key = keyNow();
  return {
    credential: org.credential,
    /** Whether there is another key than at the last call, or at first. */
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

/** Whether other settings or another key of an organization may help what fails. */
export function isTouched(before: DeployedOrg | undefined, now: DeployedOrg | undefined): boolean {
  const plain = (org: DeployedOrg | undefined) => org && { ...org.config, credential: undefined };
  return before?.connection !== now?.connection || !isDeepStrictEqual(plain(before), plain(now));
}

/** The settings of a client. Rate and daily quota are not among them: they change without another client. */
function settingsOf({ name, orgId, baseUrl, appUrl }: OrgConfig, api: ApiConfig) {
  const { timeout, retries, maxResponseBytes, proxy, readinessPath } = api;
  return { name, orgId, baseUrl, appUrl, timeout, retries, maxResponseBytes, proxy, readinessPath };
}
