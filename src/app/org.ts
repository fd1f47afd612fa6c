import { isDeepStrictEqual } from 'node:util';
import type { OrgSettings } from '../catalog/settings.ts';
import type { ApiConfig, OrgConfig } from '../config/config.ts';
import type { Credential } from '../config/credential.ts';
import type { PlatformClient } from '../platform/client.ts';
import type { Core } from './core.ts';

/** An organization as it is polled and published. */
export interface DeployedOrg {
  readonly config: OrgConfig;
  readonly settings: OrgSettings;
  readonly connection: Connection;
}

/** The client of an organization, created on first use so that its libraries do not delay the first scrape. */
interface Connection {
  readonly credential: Credential;
  /** Creates the client; rejects with a `ConfigError` on an invalid address or proxy. */
  open(): Promise<PlatformClient>;
  close(): void;
  /** Whether a client with these settings would be the same. */
  fits(org: OrgConfig, api: ApiConfig): boolean;
}

/** The connection of an organization: the previous one if it fits, otherwise a new one. */
export function connectionOf(
  org: OrgConfig,
  api: ApiConfig,
  core: Pick<Core, 'createClient'>,
  before: Connection | undefined,
): Connection {
  return before?.fits(org, api) === true ? before : createConnection(org, api, core);
}

function createConnection(org: OrgConfig, api: ApiConfig, core: Pick<Core, 'createClient'>): Connection {
  let client: Promise<PlatformClient> | undefined;
  return {
    credential: org.credential,
    open() {
      client ??= core.createClient(org, api);
      return client;
    },
    close() {
      // A client that could not be created need not be closed.
      client?.then(({ close }) => close()).catch(() => undefined);
    },
    fits(other, otherApi) {
      return (
        isDeepStrictEqual(settingsOf(org, api), settingsOf(other, otherApi)) &&
        org.credential.describe() === other.credential.describe() &&
        org.credential.secrets().at(-1) === other.credential.secrets().at(-1)
      );
    },
  };
}

/** The settings of a client. Rate and daily quota are not among them: they change without another client. */
function settingsOf({ name, orgId, baseUrl, appUrl }: OrgConfig, api: ApiConfig) {
  const { timeoutMs, retries, maxResponseBytes, proxy, readinessPath } = api;
  return { name, orgId, baseUrl, appUrl, timeoutMs, retries, maxResponseBytes, proxy, readinessPath };
}
