import type { Endpoint, Role } from '../types.ts';
import type { Refusal, Tenant } from './call.ts';

export interface KeyHolder {
  readonly tenant: Tenant;
  readonly role: Role;
}

/** Knows whose key is whose. */
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

/** Section 5: analytics is for managers and owners; nothing is known to be asked of the other endpoints' callers. */
export function roleRefusal(endpoint: Endpoint, role: Role): Refusal | undefined {
  const open = endpoint === 'readiness' || endpoint === 'wiki' || role === 'owner' || role === 'manager';
  return open ? undefined : { status: 403, detail: 'This endpoint requires the Manager or Owner role' };
}
