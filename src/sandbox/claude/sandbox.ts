import { dayAt, dayMs } from '../calendar.ts';
import { createFaults, type Fault, faultKinds, lateDays, retryAfter } from '../faults.ts';
import { createHandler } from '../http/handler.ts';
import { createListeners } from '../http/listeners.ts';
import { refusalIn, refuse } from '../http/refuse.ts';
import { hex, mix } from '../random.ts';
import type { Answer, ApiRequest, SandboxOptions } from '../types.ts';
import { createEditions } from '../world/conditions.ts';
import type { Org } from '../world/org.ts';
import { createTenants } from '../world/tenants.ts';
import type { Account } from './call.ts';
import { BETA, check, pageOf, routes } from './routes.ts';

/** A simulated Claude. */
export type ClaudeSandbox = ReturnType<typeof createClaudeSandbox>;

/** The faults that this platform can simulate; 400 is the answer to an organization without usage and cost. */
export const claudeFaultKinds = faultKinds.filter(({ name }) => name !== 'revised-days');

/**
 * Creates a simulated Claude over the same world as the other simulated platforms: each organization has an account of the
 * Claude Console, and another one of Claude Enterprise. Each may ask 60 times a minute, unless the pace is unlimited. It
 * does not listen until asked. Throws an Error of one sentence on an invalid fault.
 */
export function createClaudeSandbox(
  options: Omit<SandboxOptions, 'repos'> & { readonly pace?: 'unlimited' | undefined },
) {
  const { now, seed = 1, pace } = options;
  const { setFaults, strike } = createFaults(options, claudeFaultKinds, Object.keys(routes));
  // The activity of a day is final 48 hours after its end.
  const editions = createEditions(now, () => true, 48);
  const { tenants, oldestOn, reviseDay } = createTenants({ ...options, repos: 0 }, editions);
  const orgs = tenants.flatMap((org) => [accountOf(org, 'console'), accountOf(org, 'enterprise')]);
  const holders = new Map(orgs.map((one) => [one.keys['admin'] ?? one.keys['analytics'], one]));
  const recent = new Map<Account, readonly number[]>();
  const handler = createHandler(answer);
  const listeners = createListeners();
  let requests = 0;

  return {
    orgs,
    handler,
    /** Port 0 lets the system choose; rejects if the address is unavailable. */
    listen: (at: { readonly host: string; readonly port: number }) => listeners.listen(handler, at),
    close: listeners.close,
    setFaults,
    reviseDay,
  };

  async function answer(request: ApiRequest): Promise<Answer> {
    requests += 1;
    const id = `req_${hex(mix(seed, requests))}`;
    const account = holders.get(String(request.headers['x-api-key']));
    const common = { 'content-type': 'application/json', date: new Date(now()).toUTCString() };
    const owner = account && { 'anthropic-organization-id': account.orgId };
    const headers = { ...common, 'request-id': id, ...owner };
    try {
      return { status: 200, headers, body: [JSON.stringify(await routed(request, account, requests))] };
    } catch (thrown) {
      const { status, message, headers: more } = refusalIn(thrown);
      const body = { type: 'error', error: { type: typeOf(status), message }, request_id: id };
      return { status, headers: { ...headers, ...more }, body: [JSON.stringify(body)] };
    }
  }

  async function routed(request: ApiRequest, account: Account | undefined, number: number) {
    const { method, url, signal } = request;
    const name = Object.keys(routes).find((one) => url.pathname === `/v1/organizations/${routes[one]?.path}`);
    const route = method === 'GET' ? routes[name ?? ''] : undefined;
    if (name === undefined || route === undefined) refuse(404, 'Not Found');
    const struck = await strike({ endpoint: name, org: account?.name, number, signal });
    for (const fault of struck) refuseFor(fault);
    if (account === undefined) refuse(401, 'The API key provided is invalid or has been revoked.');
    check(route, request, account);
    if (pace !== 'unlimited') count(account);
    const known = now() - lateDays(struck) * dayMs;
    const oldest = oldestOn(dayAt(now()));
    return pageOf(route, { account, query: url.searchParams, now: now(), known, oldest });
  }

  /** An account may ask 60 times a minute, over all endpoints; at one a second, some arrive a little early. */
  function count(account: Account): void {
    const times = recent.get(account)?.filter((time) => time > now() - 59_000) ?? [];
    const after = String(60 - Math.floor((now() - (times[0] ?? 0)) / 1000));
    if (times.length >= 60) refuse(429, 'The rate limit is exceeded.', { 'retry-after': after });
    recent.set(account, [...times, now()]);
  }

  function refuseFor(fault: Fault): void {
    const status = Number(fault.name);
    const message = status === 400 ? `The beta ${BETA} is not enabled.` : 'The simulated platform fails.';
    if (status > 0) refuse(status, message, retryAfter(fault, now()));
  }
}

/** The account of an organization, with its keys; that of the ordinary API may ask nothing. */
function accountOf(org: Org, kind: Account['kind']): Account {
  const isConsole = kind === 'console';
  const name = isConsole ? org.name : `${org.name}-enterprise`;
  const keyOf = (prefix: string) => `sk-ant-${prefix}-sandbox-${name}`;
  const keys = isConsole ? { admin: keyOf('admin01'), api: keyOf('api03') } : { analytics: keyOf('api01') };
  return { name, kind, orgId: `${hex(org.seed)}-0000-4000-8000-00000000000${isConsole ? 1 : 2}`, keys, org };
}

function typeOf(status: number): string {
  if (status === 429) return 'rate_limit_error';
  if (status >= 500) return status === 529 ? 'overloaded_error' : 'api_error';
  const names = ['authentication_error', 'billing_error', 'permission_error', 'not_found_error'];
  return names[status - 401] ?? 'invalid_request_error';
}
