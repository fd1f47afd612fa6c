import type { Day } from '../calendar.ts';
import { type Endpoint, type Role, roles } from '../types.ts';
import type { Org } from '../world/org.ts';

/** An authorized request. */
export interface Call {
  readonly org: Org;
  readonly query: URLSearchParams;
  /** The platform's clock, in milliseconds. */
  readonly now: number;
  readonly today: Day;
  /** The oldest existing day. */
  readonly oldest: Day;
  /** Number of newest days without rows yet. */
  readonly late: number;
}

/** An error response. */
export interface Refusal {
  readonly status: number;
  readonly detail: string;
}

/** A JSON body in chunks. */
export type JsonPieces = Iterable<string>;

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'detail' in value;
}

export function badRequest(detail: string): Refusal {
  return { status: 400, detail };
}

export interface KeyHolder {
  readonly org: Org;
  readonly role: Role;
}

/** The holders of the keys of all organizations, which have one per role. */
export function keyHolders(orgs: readonly Org[]): ReadonlyMap<string, KeyHolder> {
  const held = (org: Org) => roles.map((role): [string, KeyHolder] => [org.keys[role], { org, role }]);
  return new Map(orgs.flatMap(held));
}

export const readinessPath = '/api/organization/maturity-level-reports';

/** The new path of the readiness listing. */
export const newReadinessPath = '/api/organization/agent-readiness-reports';

const routes: ReadonlyMap<string, Endpoint> = new Map([
  ['/api/v1/analytics/tokens', 'tokens'],
  ['/api/v1/analytics/tools', 'tools'],
  ['/api/v1/analytics/activity', 'activity'],
  ['/api/v1/analytics/productivity', 'productivity'],
  ['/api/v1/analytics/users', 'users'],
  [readinessPath, 'readiness'],
  [newReadinessPath, 'readiness'],
  ['/api/v0/wiki', 'wiki'],
]);

/** Every endpoint, once. */
export const endpoints: readonly Endpoint[] = [...new Set(routes.values())];

/** The endpoint of a path; undefined if there is none. */
export function endpointOf(path: string): Endpoint | undefined {
  return routes.get(path);
}

export interface DateRange {
  readonly start: Day;
  readonly end: Day;
}
