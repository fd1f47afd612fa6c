import { isDeepStrictEqual } from 'node:util';
import type { OrgSettings } from '../catalog/settings.ts';
import type { ApiConfig, OrgConfig } from '../config/config.ts';
import type { Credential } from '../config/credential.ts';
import type { PlatformClient } from '../platform/client.ts';
import type { Core } from './core.ts';

/** An organization as it is polled and shown. */
export interface DeployedOrg {
  readonly config: OrgConfig;
  readonly settings: OrgSettings;
  readonly connection: Connection;
}

/** The client of an organization, created when it is first needed: its libraries need not delay the first scrape. */
export interface Connection {
  readonly credential: Credential;
  /** Creates the client; rejects with a `ConfigError` on an unusable address or proxy. */
  open(): Promise<PlatformClient>;
  close(): void;
  /** Whether a client with these settings would do the same. */
  fits(org: OrgConfig, api: ApiConfig): boolean;
}

/** The connection of an organization: the one before where it fits, another one where not. */
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
      // A client that could not be created needs no closing.
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

/** What a client is made of. Its pace and its daily quota are not among it: they change without another client. */
function settingsOf({ name, orgId, baseUrl, appUrl }: OrgConfig, api: ApiConfig) {
  const { timeoutMs, retries, maxResponseBytes, proxy } = api;
  return { name, orgId, baseUrl, appUrl, timeoutMs, retries, maxResponseBytes, proxy };
}
