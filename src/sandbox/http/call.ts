import type { Day } from '../calendar.ts';
import type { RequestFaults } from '../faults/switchboard.ts';
import type { ReadinessListing } from '../readiness/listing.ts';
import type { Org } from '../world/org.ts';

/** An organization with what it can be asked. */
export interface Tenant {
  readonly org: Org;
  readonly readiness: ReadinessListing;
}

/** A request that was let in. */
export interface Call {
  readonly tenant: Tenant;
  readonly query: URLSearchParams;
  readonly faults: RequestFaults;
  /** The platform's clock, in milliseconds. */
  readonly now: number;
  readonly today: Day;
  /** The oldest day that exists. */
  readonly oldest: Day;
  /** Whether this was sent to the organization before; from now on it was. */
  sentBefore(what: string): boolean;
}

/** Why a request gets no data. */
export interface Refusal {
  readonly status: number;
  readonly detail: string;
}

/** A JSON body, piece by piece. */
export type JsonPieces = Iterable<string>;

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'detail' in value;
}

export function badRequest(detail: string): Refusal {
  return { status: 400, detail };
}
