import { dayAt, dayMs, hourMs } from '../calendar.ts';
import { createFaults, type Fault, faultKinds, lateDays, retryAfter } from '../faults.ts';
import { createHandler } from '../http/handler.ts';
import { createListeners } from '../http/listeners.ts';
import { refusalIn, refuse } from '../http/refuse.ts';
import { hex, mix, textSeed } from '../random.ts';
import type { Answer, ApiRequest, Row, SandboxOptions } from '../types.ts';
import { createEditions } from '../world/conditions.ts';
import { createTenants } from '../world/tenants.ts';
import { claudeCodeRows, connectorRows, skillRows, summaryRows, userRows } from './activity.ts';
import { type Account, accountOf, type Call } from './call.ts';
import { costRows, refreshedAt, usageRows } from './money.ts';

interface Route {
  readonly path: string;
  /** The only kind of account that may ask; both by default. */
  readonly kind?: Account['kind'];
  readonly rows: (call: Call) => readonly Row[];
  /** Rows on a page by default. */
  readonly usual: number;
}

/** The endpoints, under the names by which faults are limited to them. */
const routes: Readonly<Record<string, Route>> = {
  usage: { path: 'analytics/usage', rows: usageRows, usual: 20 },
  cost: { path: 'analytics/cost', rows: costRows, usual: 20 },
  claude_code: { path: 'usage_report/claude_code', kind: 'console', rows: claudeCodeRows, usual: 20 },
  summaries: { path: 'analytics/summaries', kind: 'enterprise', rows: summaryRows, usual: 366 },
  users: { path: 'analytics/users', kind: 'enterprise', rows: userRows, usual: 100 },
  skills: { path: 'analytics/skills', kind: 'enterprise', rows: skillRows, usual: 100 },
  connectors: { path: 'analytics/connectors', kind: 'enterprise', rows: connectorRows, usual: 100 },
};

/** What usage and cost need, and no other endpoint. */
const BETA = 'analytics-usage-cost-2026-08-24';

const parameters =
  'beta date ending_at ending_date group_by[] limit order order_by page starting_at starting_date time_bucket_width';
const versions = ['2023-06-01', '2026-10-21'];
const scopes = { console: 'api:admin', enterprise: 'read:analytics' };

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

/** Refuses a request unless its key is of the right kind, and its headers and parameters are known. */
function check({ kind }: Route, { headers, url }: ApiRequest, account: Account): void {
  if (!versions.includes(String(headers['anthropic-version']))) refuse(400, 'anthropic-version: unknown');
  const [got, needed] = [scopes[account.kind], scopes[kind ?? account.kind]];
  if (got !== needed) refuse(403, `Missing required scopes. Got: ['${got}'] Needed: ['${needed}']`);
  const betas = String(headers['anthropic-beta']).split(/ *, */);
  if (kind === undefined && !betas.includes(BETA)) refuse(404, 'Not Found');
  const unknown = url.searchParams.keys().find((name) => !parameters.split(' ').includes(name));
  if (unknown !== undefined) refuse(400, `${unknown}: Extra inputs are not permitted`);
}

/** A page of rows with the cursor of the next one, which is good for an hour and for the same query only. */
function pageOf({ path, kind, rows, usual }: Route, call: Call): Row {
  const { account, query, now } = call;
  const limit = Number(query.get('limit') ?? usual);
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= 1000)) refuse(400, 'limit: expected 1 to 1000');
  const asked = [...query].filter(([name]) => name !== 'page' && name !== 'limit').sort();
  const bound = textSeed(JSON.stringify([account.name, path, asked]));
  const cursor = (from: number, issued: number) =>
    `page_${Buffer.from(`${from}.${issued}.${mix(bound, from)}`).toString('base64url')}`;
  const page = query.get('page') ?? cursor(0, now);
  const [start = 0, issued = 0] = Buffer.from(page.slice(5), 'base64url').toString().split('.').map(Number);
  if (page !== cursor(start, issued)) refuse(400, 'page: cursor does not match current query parameters');
  if (now - issued >= hourMs) refuse(410, 'page: cursor has expired; pagination must restart');
  const all = rows(call);
  const hasMore = start + limit < all.length;
  return {
    data: all.slice(start, start + limit),
    next_page: hasMore ? cursor(start + limit, now) : null,
    ...(kind !== 'enterprise' && { has_more: hasMore }),
    ...(kind === undefined && { data_refreshed_at: refreshedAt(call) }),
  };
}

function typeOf(status: number): string {
  if (status === 429) return 'rate_limit_error';
  if (status >= 500) return status === 529 ? 'overloaded_error' : 'api_error';
  const names = ['authentication_error', 'billing_error', 'permission_error', 'not_found_error'];
  return names[status - 401] ?? 'invalid_request_error';
}
