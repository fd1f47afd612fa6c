import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';

const SHARE = 0.4;
const MAX_MS = 5_000;

/**
 * How long connecting to one address of a name may take before the next is tried, in milliseconds, where a request may
 * take `limitMs`. Node.js gives each 250 ms, and so never reaches a distant host whose name has addresses of both families.
 */
export function connectAttemptMs(limitMs: number): number {
  return Math.min(Math.ceil(limitMs * SHARE), MAX_MS);
}

/** The same for a library that opens its connections itself: sets it for the whole process. */
export function setConnectAttempt(limitMs: number): void {
  setDefaultAutoSelectFamilyAttemptTimeout(connectAttemptMs(limitMs));
}
