import type { IncomingHttpHeaders } from 'node:http';

export interface SandboxOptions {
  /** The platform's clock: milliseconds since 1970. */
  readonly now: () => number;
  /** The seed of all random data; default 1. */
  readonly seed?: number;
  /** People per organization; default 40. */
  readonly users?: number;
  /** Repositories per organization; default 12. */
  readonly repos?: number;
  /** Organizations; default 1. */
  readonly orgs?: number;
  /** Number of newest days that exist; default: all since 2026-01-14. */
  readonly days?: number | undefined;
  /** Initial faults, as texts such as `429=0.1`. */
  readonly faults?: readonly string[];
  /** What happens in every organization; nothing unusual by default. */
  readonly scenarios?: readonly Scenario[];
}

/**
 * `credit-spike`: on the day before the platform was created, more agents than usual were stuck in loops.
 * `readiness-drop`: in the newest report at that time, far fewer criteria pass than in the previous one.
 * `steady`: somebody is at work on every day, and no agent is ever stuck in a loop.
 */
export type Scenario = 'credit-spike' | 'readiness-drop' | 'steady';

export const roles = ['owner', 'manager', 'member', 'guest'] as const;
export type Role = (typeof roles)[number];

export interface SandboxOrg {
  readonly name: string;
  readonly orgId: string;
  readonly keys: Readonly<Record<Role, string>>;
  /** By id, address and login as different platforms know them. */
  readonly people: readonly Readonly<Record<'id' | 'address' | 'login' | 'team', string>>[];
}

/** A simulated platform, whichever it simulates. */
export interface Simulated {
  readonly orgs: readonly {
    readonly name: string;
    readonly account?: string;
    readonly kind?: string;
    readonly keys: Readonly<Record<string, string>>;
  }[];
  listen(at: { readonly host: string; readonly port: number }): Promise<{
    readonly url: string;
    /** Where it serves its files, if that is elsewhere. */
    readonly filesUrl?: string;
  }>;
  close(): Promise<void>;
}

/** A request to the platform's API. */
export interface ApiRequest {
  readonly method: string;
  readonly url: URL;
  readonly authorization: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent in pieces; an error closes the connection. */
  readonly body: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
}

/** Answers a request; rejects to close the connection without an answer. */
export type Answering = (request: ApiRequest) => Promise<Answer>;

export type AnalyticsEndpoint = 'tokens' | 'tools' | 'activity' | 'productivity' | 'users';
export type Endpoint = AnalyticsEndpoint | 'readiness' | 'wiki';

/** A JSON object to send. */
export type Row = Record<string, unknown>;
