import { type Day, dayAt, dayMs } from '../calendar.ts';
import { type Fault, type FaultKind, faultKinds, faultsAt, strikes } from '../faults.ts';
import { delayed } from '../http/api.ts';
import { hex, mix } from '../random.ts';
import type { Answering, ApiRequest, Row } from '../types.ts';
import { type Account, type Call, Refused } from './call.ts';
import { claudeCodeRows } from './claude-code.ts';
import { costRows, refreshedAt, usageRows } from './money.ts';
import { pageOf } from './paging.ts';

interface Route {
  readonly path: string;
  /** The only kind of account that may ask; both by default. */
  readonly kind?: Account['kind'];
  /** Known parameters. */
  readonly takes: readonly string[];
  readonly answer: (call: Call, path: string) => Row;
}

const inPages = ['limit', 'page'];
const inMoney = [
  'starting_at',
  'ending_at',
  'time_bucket_width',
  'group_by[]',
  'order',
  'order_by',
  ...inPages,
];

const routes: Readonly<Record<string, Route>> = {
  usage: {
    path: 'analytics/usage',
    takes: inMoney,
    answer: (call, path) => ({ ...pageOf(usageRows(call), call, path, 20), ...refreshedAt(call) }),
  },
  cost: {
    path: 'analytics/cost',
    takes: inMoney,
    answer: (call, path) => ({ ...pageOf(costRows(call), call, path, 20), ...refreshedAt(call) }),
  },
  claude_code: {
    path: 'usage_report/claude_code',
    kind: 'console',
    takes: ['starting_at', ...inPages],
    answer: (call, path) => pageOf(claudeCodeRows(call), call, path, 20),
  },
};

/** What faults are limited to. */
export const endpoints = Object.keys(routes);

/** The faults that this platform can simulate. */
export const claudeFaultKinds: readonly FaultKind[] = [
  ...faultKinds.filter(({ name }) => name !== 'revised-days'),
  {
    name: 'not-enrolled',
    takes: 'nothing',
    meaning: 'the organization does not have the usage and cost endpoints yet: they answer 400',
  },
];

const BETA = 'analytics-usage-cost-2026-08-24';
const VERSIONS = ['2023-06-01', '2026-10-21'];
const MINUTE_MS = 60_000;
const PER_MINUTE = 60;

interface ApiDeps {
  readonly now: () => number;
  readonly seed: number;
  readonly keys: ReadonlyMap<string, Account>;
  readonly faults: () => readonly Fault[];
  /** The oldest existing day, relative to today. */
  readonly oldestOn: (today: Day) => Day;
  readonly isPaced: boolean;
}

/** Creates the API, whose faults are drawn for each request in turn. */
export function createClaudeApi({ now, seed, keys, faults, oldestOn, isPaced }: ApiDeps): Answering {
  const recent = new Map<Account, readonly number[]>();
  let requests = 0;

  return async (request) => {
    requests += 1;
    const id = `req_${hex(mix(seed, requests))}`;
    const account = keys.get(String(request.headers['x-api-key']));
    const headers = {
      'content-type': 'application/json',
      date: new Date(now()).toUTCString(),
      'request-id': id,
      ...(account !== undefined && { 'anthropic-organization-id': account.orgId }),
    };
    try {
      const body = await routed(request, account, requests);
      return { status: 200, headers, body: [JSON.stringify(body)] };
    } catch (thrown) {
      if (!(thrown instanceof Refused)) throw thrown;
      const body = [JSON.stringify(thrown.body(id))];
      return { status: thrown.status, headers: { ...headers, ...thrown.headers }, body };
    }
  };

  async function routed(
    { method, url, headers, signal }: ApiRequest,
    account: Account | undefined,
    number: number,
  ) {
    const [endpoint, route] =
      Object.entries(routes).find(([, { path }]) => url.pathname === `/v1/organizations/${path}`) ?? [];
    if (endpoint === undefined || route === undefined) throw new Refused(404, 'Not Found');
    if (method !== 'GET') throw new Refused(405, 'Method Not Allowed', { allow: 'GET' });
    const struck = faultsAt(faults(), endpoint, account?.name).filter((fault) =>
      strikes(fault, seed, number),
    );
    await delayed(struck, signal);
    for (const fault of struck) refuseFor(fault, route);
    refuseUnlessPermitted(account, headers, route);
    const unknown = url.searchParams.keys().find((name) => ![...route.takes, 'beta'].includes(name));
    if (unknown !== undefined) throw new Refused(400, `${unknown}: Extra inputs are not permitted`);
    if (isPaced) countRequest(account);
    const late = Number(struck.find(({ name }) => name === 'late')?.detail ?? 0);
    const times = { now: now(), known: now() - late * dayMs, oldest: oldestOn(dayAt(now())) };
    return route.answer({ account, query: url.searchParams, ...times }, route.path);
  }

  /** All endpoints together may be asked so often within a minute. */
  function countRequest(account: Account): void {
    const times = recent.get(account)?.filter((time) => time > now() - MINUTE_MS) ?? [];
    const [oldest = 0] = times;
    if (times.length >= PER_MINUTE) {
      const after = String(Math.ceil((oldest + MINUTE_MS - now()) / 1000));
      const message = 'This request would exceed the rate limit of your organization.';
      throw new Refused(429, message, { 'retry-after': after });
    }
    recent.set(account, [...times, now()]);
  }

  function refuseFor({ name, detail }: Fault, { kind }: Route): void {
    if (name === 'not-enrolled' && kind === undefined) {
      const message = `The beta ${BETA} is not enabled for the organization.`;
      throw new Refused(400, message, {}, 'organization_not_enrolled_in_beta');
    }
    if (!/^\d+$/.test(name)) return;
    const after = detail === 'date' ? new Date(now() + 2000).toUTCString() : detail;
    const headers = after === '' ? {} : { 'retry-after': after };
    throw new Refused(Number(name), 'The simulated platform fails.', headers);
  }
}

/** Throws unless the headers are those that the endpoint needs, with a key of the right kind. */
function refuseUnlessPermitted(
  account: Account | undefined,
  headers: ApiRequest['headers'],
  { kind }: Route,
): asserts account {
  if (headers['x-api-key'] === undefined) throw new Refused(401, 'x-api-key header is required');
  if (account === undefined) throw new Refused(401, 'The API key provided is invalid or has been revoked.');
  if (!VERSIONS.includes(String(headers['anthropic-version'])))
    throw new Refused(400, `anthropic-version: expected one of ${VERSIONS.join(', ')}`);
  const scopes = { console: 'api:admin', enterprise: 'read:analytics' };
  if (kind !== undefined && kind !== account.kind)
    throw new Refused(
      403,
      `Missing required scopes. Got: ['${scopes[account.kind]}'] Needed: ['${scopes[kind]}']`,
    );
  const betas = String(headers['anthropic-beta']).split(/ *, */);
  if (kind === undefined && !betas.includes(BETA)) throw new Refused(404, 'Not Found');
}
