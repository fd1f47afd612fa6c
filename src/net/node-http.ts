import type http from 'node:http';
import type https from 'node:https';

/**
 * Node's module for `https` (`secure`) or `http`. Not imported: a module that imports `node:http` loads Node's WebSocket and
 * with it all of undici, which takes 40 ms of processor time, more than a run of the hook command.
 */
export function nodeHttp(secure: false): typeof http;
export function nodeHttp(secure: boolean): typeof http | typeof https;
export function nodeHttp(secure: boolean): typeof http | typeof https {
  return process.getBuiltinModule(secure ? 'node:https' : 'node:http');
}

const CONNECT_SHARE = 0.4;
const MAX_CONNECT_MS = 5_000;

/**
 * How long connecting to one address of a name may take before the next is tried, in milliseconds, where a request may
 * take `limitMs`. Node.js gives each 250 ms, and so never reaches a distant host whose name has addresses of both families.
 */
export function connectAttemptMs(limitMs: number): number {
  return Math.min(Math.ceil(limitMs * CONNECT_SHARE), MAX_CONNECT_MS);
}

/** Sets `connectAttemptMs` for the whole process, for a library that opens its connections itself. */
export function setConnectAttempt(limitMs: number): void {
  process.getBuiltinModule('node:net').setDefaultAutoSelectFamilyAttemptTimeout(connectAttemptMs(limitMs));
}
