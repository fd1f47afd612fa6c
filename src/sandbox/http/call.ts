import type { Day } from '../calendar.ts';
import type { ReadinessListing } from '../readiness/listing.ts';
import type { Endpoint, Role } from '../types.ts';
import type { Org } from '../world/org.ts';

/** An organization and its readiness listing. */
export interface Tenant {
  readonly org: Org;
  readonly readiness: ReadinessListing;
}

/** An authorized request. */
export interface Call {
  readonly tenant: Tenant;
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
  readonly tenant: Tenant;
  readonly role: Role;
}

/** Maps API keys to their holders. */
export interface KeyRing {
  holder(authorization: string | undefined): KeyHolder | undefined;
  setRevoked(revoked: boolean): void;
}

const roles: readonly Role[] = ['owner', 'manager', 'member', 'guest'];

/** Creates the keys of all organizations, one per role. */
export function createKeyRing(tenants: readonly Tenant[]): KeyRing {
  const holders = new Map<string, KeyHolder>();
  for (const tenant of tenants) {
    for (const role of roles) holders.set(tenant.org.keys[role], { tenant, role });
  }
  let allRevoked = false;
  return {
    holder(authorization) {
      const key = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
      return key === undefined || allRevoked ? undefined : holders.get(key);
    },
    setRevoked(revoked) {
      allRevoked = revoked;
    },
  };
}

/** Analytics requires the role manager or owner; the other endpoints have no known requirement. */
export function roleRefusal(endpoint: Endpoint, role: Role): Refusal | undefined {
  const open = endpoint === 'readiness' || endpoint === 'wiki' || role === 'owner' || role === 'manager';
  return open ? undefined : { status: 403, detail: 'This endpoint requires the Manager or Owner role' };
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

/** The endpoint of a path; undefined if there is none. */
export function endpointOf(path: string): Endpoint | undefined {
  return routes.get(path);
}

export interface DateRange {
  readonly start: Day;
  readonly end: Day;
}
