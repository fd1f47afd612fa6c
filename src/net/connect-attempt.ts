import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { connectAttemptMs } from './http-client.ts';

/** Sets `connectAttemptMs` for the whole process, for a library that opens its connections itself. */
export function setConnectAttempt(limitMs: number): void {
  setDefaultAutoSelectFamilyAttemptTimeout(connectAttemptMs(limitMs));
}
