import type { Day } from '../catalog/day.ts';
import type { Contract, ReadinessSettings } from '../catalog/settings.ts';
import type { Credential } from './credential.ts';
import type { ProxyVariables } from './environment.ts';
import type { Limits } from './file-sections.ts';
import type { HooksConfig } from './hooks.ts';
import type { ListenAddress } from './parse.ts';
import type { People } from './people/people.ts';
import type { Shard } from './shard.ts';

/** An organization that is polled; addresses have no trailing slash. */
export interface OrgConfig {
  readonly name: string;
  readonly baseUrl: string;
  readonly appUrl: string;
  readonly credential: Credential;
  /** The platform's identifier of the organization, where only its answers are taken. */
  readonly orgId?: string | undefined;
  readonly contract?: Contract | undefined;
}

/**
 * The part of a configuration that counts from the next start on: sockets, files and routes that others rely on. A
 * reload that changes it is warned about.
 */
export interface StartConfig {
  /** Where the configuration was read from, besides flags and environment. */
  readonly file: { readonly path: string | undefined; readonly watch: boolean };
  /** The file of the history, or `:memory:`. */
  readonly storage: {
    readonly path: string;
    /** What happens to a file that is damaged or of a newer release. */
    readonly onDamage: 'keep' | 'replace';
  };
  readonly web: {
    readonly listen: ListenAddress;
    readonly telemetryPath: string;
    readonly maxConnections: number;
    readonly enableLifecycle: boolean;
    /** The host names that requests may be for; any where there are none. */
    readonly allowedHosts: readonly string[];
    /** The file for TLS and authentication. */
    readonly configFile: string | undefined;
    /** Whether the health routes ask for neither password nor client certificate. */
    readonly openHealth: boolean;
  };
  readonly hooks: HooksConfig;
  readonly log: { readonly format: 'logfmt' | 'json' };
}

/** How the platform is asked. */
export interface ApiConfig {
  readonly timeoutMs: number;
  readonly retries: number;
  readonly requestsPerSecond: number;
  /** The most requests of a UTC day, for each organization; undefined for any number. */
  readonly dailyRequestLimit: number | undefined;
  readonly maxResponseBytes: number;
  readonly proxy: ProxyVariables;
}

/** The part of a configuration that a reload puts into use. */
export interface LiveConfig {
  /** The organizations of this shard; none where they all belong to others. */
  readonly orgs: readonly OrgConfig[];
  readonly shard: Shard;
  readonly api: ApiConfig;
  /** Cron expressions of five fields, UTC. */
  readonly schedules: {
    readonly analytics: string;
    readonly users: string;
    readonly readiness: string;
    readonly wiki: string;
    readonly jitterMs: number;
  };
  /** Whether a collector runs, by its name, for all that exist. */
  readonly collectors: ReadonlyMap<string, boolean>;
  readonly metrics: { readonly maxAgeMs: number };
  readonly history: {
    readonly start: Day;
    readonly revisionWindowDays: number;
    /** How many of the newest days are kept; 0 keeps all. */
    readonly retentionDays: number;
  };
  readonly limits: Limits;
  readonly readiness: ReadinessSettings;
  /** Who may be told apart and who belongs to which team. */
  readonly people: People;
  readonly log: { readonly level: 'error' | 'warn' | 'info' | 'debug' };
}

/** A whole, valid configuration. */
export type Config = StartConfig & LiveConfig;

export type LogConfig = Config['log'];
