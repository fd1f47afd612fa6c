import { createFaults } from './faults.ts';
import { createApi } from './http/api.ts';
import { keyHolders } from './http/call.ts';
import { createHandler } from './http/handler.ts';
import { createListeners } from './http/listeners.ts';
import type { Answering, SandboxOptions, SandboxOrg } from './types.ts';
import { createEditions } from './world/conditions.ts';
import { createTenants } from './world/tenants.ts';

/** A simulated platform. */
export type Sandbox = ReturnType<typeof createSandbox>;

/**
 * Creates a simulated platform. Its data follow from the seed and the clock only; it does not listen until asked.
 * `around` may change requests and answers. Throws an Error of one sentence on an invalid fault.
 */
export function createSandbox(
  options: SandboxOptions,
  around: (answer: Answering) => Answering = (answer) => answer,
) {
  const { now, seed = 1 } = options;
  const { setFaults, isSet, strike } = createFaults(options);
  const editions = createEditions(now, (org) => isSet('revised-days', org));
  const { tenants, oldestOn, reviseDay } = createTenants(options, editions);
  const api = createApi({ now, seed, keys: keyHolders(tenants), strike, oldestOn });
  const handler = createHandler(around(api));
  const listeners = createListeners();

  return {
    orgs: tenants.map(({ name, orgId, keys, people }): SandboxOrg => ({ name, orgId, keys, people })),
    handler,
    /** Port 0 lets the system choose; rejects if the address is unavailable. */
    listen: (at: { readonly host: string; readonly port: number }) => listeners.listen(handler, at),
    close: listeners.close,
    setFaults,
    reviseDay,
  };
}
