import type { Day } from '../catalog/day.ts';
import type { Contract, ReadinessSettings } from '../catalog/settings.ts';
import type { ProxySettings } from '../runtime/proxy.ts';
import type { Credential } from './credential.ts';
import type { Limits } from './file-schema.ts';
import type { ListenAddress } from './listen-address.ts';
import type { People } from './people/people.ts';
import type { Shard } from './shard.ts';
import type { StorageConfig } from './storage.ts';

/** Settings of the hook intake. */
export interface HooksConfig {
  /** The bearer token of senders; without one, no events are accepted. */
  readonly token: Credential | undefined;
  /** Per client address. */
  readonly requestsPerSecond: number;
}

/** An organization to poll; addresses have no trailing slash. */
export interface OrgConfig {
  readonly name: string;
  readonly baseUrl: string;
  readonly appUrl: string;
  readonly credential: Credential;
  /** The organization's identifier on the platform, if only its answers are accepted. */
  readonly orgId?: string | undefined;
  readonly contract?: Contract | undefined;
  /** The listed days off and the public holidays of the country. */
  readonly daysOff?: ReadonlySet<Day> | undefined;
}

/**
 * The part of a configuration that requires a restart: sockets, files and routes. A reload that changes it logs a
 * warning.
 */
export interface StartConfig {
  /** The values of the options that require a restart, by flag. */
  readonly restart: ReadonlyMap<string, unknown>;
  /** The source of the configuration, besides flags and environment. */
  readonly file: { readonly path: string | undefined; readonly watch: boolean };
  readonly storage: StorageConfig;
  readonly web: {
    readonly listen: ListenAddress;
    readonly telemetryPath: string;
    readonly maxConnections: number;
    readonly enableLifecycle: boolean;
    /** The host names that requests may use; any if empty. */
    readonly allowedHosts: readonly string[];
    /** The file for TLS and authentication. */
    readonly configFile: string | undefined;
    /** Whether the health routes require neither a password nor a client certificate. */
    readonly openHealth: boolean;
  };
  readonly hooks: HooksConfig;
  readonly log: { readonly format: 'logfmt' | 'json' };
}

/** Settings of the platform client. */
export interface ApiConfig {
  readonly timeoutMs: number;
  readonly retries: number;
  readonly requestsPerSecond: number;
  /** Maximum number of requests per UTC day and organization; undefined for no limit. */
  readonly dailyRequestLimit: number | undefined;
  /** Over all organizations. */
  readonly maxConcurrentRequests: number;
  readonly maxResponseBytes: number;
  readonly proxy: ProxySettings;
  /** The path of the readiness listing, if neither of the known ones is. */
  readonly readinessPath: string | undefined;
}

/** The part of a configuration that a reload applies. */
export interface LiveConfig {
  /** The organizations of this shard; empty if all belong to other shards. */
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
  /** Whether a collector is enabled, for every existing collector by name. */
  readonly collectors: ReadonlyMap<string, boolean>;
  readonly metrics: {
    readonly maxAgeMs: number;
    /** Names of the metric families that are not published. */
    readonly excluded: ReadonlySet<string>;
  };
  readonly history: {
    readonly start: Day;
    readonly revisionWindowDays: number;
    /** Number of newest days to keep; 0 keeps all. */
    readonly retentionDays: number;
  };
  readonly limits: Limits;
  readonly readiness: ReadinessSettings;
  /** How people are identified and assigned to teams. */
  readonly people: People;
  readonly log: { readonly level: 'error' | 'warn' | 'info' | 'debug' };
  /** The address of the dashboards, for the page. */
  readonly dashboardUrl?: string | undefined;
}

/** A complete, valid configuration. */
export type Config = StartConfig & LiveConfig;

export type LogConfig = Config['log'];
