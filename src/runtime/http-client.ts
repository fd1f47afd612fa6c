import type http from 'node:http';
import type https from 'node:https';

/**
 * Node's module for `https` (`secure`) or `http`. Not imported: a module that imports `node:http` loads Node's WebSocket and
 * with it all of undici, which takes 40 ms of processor time, more than a run of the hook command.
 */
export function httpClient(secure: false): typeof http;
export function httpClient(secure: boolean): typeof http | typeof https;
export function httpClient(secure: boolean): typeof http | typeof https {
  return process.getBuiltinModule(secure ? 'node:https' : 'node:http');
}
