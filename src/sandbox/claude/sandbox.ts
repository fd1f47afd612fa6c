import { dayAt, dayMs } from '../calendar.ts';
import { type Fault, faultKinds, faultsAt, parseFaults, strikes } from '../faults.ts';
import { delayed } from '../http/api.ts';
import { createHandler } from '../http/handler.ts';
import { createListeners } from '../http/listeners.ts';
import { hex, mix } from '../random.ts';
import type { Answer, ApiRequest, SandboxOptions } from '../types.ts';
import { createEditions } from '../world/conditions.ts';
import type { Org } from '../world/org.ts';
import { createTenants } from '../world/tenants.ts';
import { type Account, refuse } from './call.ts';
import { BETA, check, pageOf, routes } from './routes.ts';

/** Hours after the end of a day at which the activity of people is final. */
const SETTLED_AFTER = 48;

const MINUTE_MS = 60_000;
const PER_MINUTE = 60;

/** A simulated Claude. */
export type ClaudeSandbox = ReturnType<typeof createClaudeSandbox>;

/** The faults that this platform can simulate; 400 is the answer to an organization without usage and cost. */
export const claudeFaultKinds = faultKinds.filter(({ name }) => name !== 'revised-days');

interface ClaudeOptions extends Omit<SandboxOptions, 'repos'> {
  /** How often an organization may ask; by default 60 times a minute. */
  readonly pace?: 'unlimited' | undefined;
}

/**
 * Creates a simulated Claude over the same world as the other simulated platforms: each organization has an account of the
 * Claude Console, and another one of Claude Enterprise. It does not listen until asked. Throws an Error of one sentence on
 * an invalid fault.
 */
export function createClaudeSandbox(options: ClaudeOptions) {
  const { now, seed = 1, pace } = options;
  const parse = (texts: readonly string[]) => parseFaults(texts, claudeFaultKinds, Object.keys(routes));
  let faults = parse(options.faults ?? []);
  const editions = createEditions(now, () => true, SETTLED_AFTER);
  const { tenants, oldestOn, reviseDay } = createTenants({ ...options, repos: 0 }, editions);
  const orgs = tenants.flatMap((org) => [accountOf(org, 'console'), accountOf(org, 'enterprise')]);
  const holders = new Map(
    orgs.map((account) => [account.keys['admin'] ?? account.keys['analytics'], account]),
  );
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
    /** Replaces all faults; throws an Error of one sentence on a text that is not a fault. */
    setFaults(texts: readonly string[]): void {
      faults = parse(texts);
    },
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
      if (!(thrown instanceof Error && 'status' in thrown)) throw thrown;
      const { status, message, headers: more } = thrown as Error & Answer;
      const body = { type: 'error', error: { type: typeOf(status), message }, request_id: id };
      return { status, headers: { ...headers, ...more }, body: [JSON.stringify(body)] };
    }
  }

  async function routed(request: ApiRequest, account: Account | undefined, number: number) {
    const { method, url, signal } = request;
    const isAsked = ({ path }: { readonly path: string }) => url.pathname === `/v1/organizations/${path}`;
    const [endpoint, route] =
      Object.entries(routes).find(([, one]) => method === 'GET' && isAsked(one)) ?? [];
    if (endpoint === undefined || route === undefined) refuse(404, 'Not Found');
    const struck = faultsAt(faults, endpoint, account?.name).filter((fault) => strikes(fault, seed, number));
    await delayed(struck, signal);
    for (const fault of struck) refuseFor(fault);
    if (account === undefined) refuse(401, 'The API key provided is invalid or has been revoked.');
    check(route, request, account);
    if (pace !== 'unlimited') count(account);
    const late = Number(struck.find(({ name }) => name === 'late')?.detail ?? 0);
    const times = { now: now(), known: now() - late * dayMs, oldest: oldestOn(dayAt(now())) };
    return pageOf(route, { account, query: url.searchParams, ...times });
  }

  /** Refuses more requests of an account within a minute than are allowed over all endpoints. */
  function count(account: Account): void {
    const times = recent.get(account)?.filter((time) => time > now() - MINUTE_MS) ?? [];
    const after = Math.ceil(((times[0] ?? 0) + MINUTE_MS - now()) / 1000);
    if (times.length >= PER_MINUTE)
      refuse(429, 'The rate limit is exceeded.', { 'retry-after': String(after) });
    recent.set(account, [...times, now()]);
  }

  function refuseFor({ name, detail }: Fault): void {
    if (!/^\d+$/.test(name)) return;
    const after = detail === 'date' ? new Date(now() + 2000).toUTCString() : detail;
    const message = name === '400' ? `The beta ${BETA} is not enabled.` : 'The simulated platform fails.';
    refuse(Number(name), message, after === '' ? {} : { 'retry-after': after });
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
