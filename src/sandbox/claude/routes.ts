import { hourMs } from '../calendar.ts';
import { refuse } from '../http/refuse.ts';
import { mix, textSeed } from '../random.ts';
import type { ApiRequest, Row } from '../types.ts';
import { claudeCodeRows, connectorRows, skillRows, summaryRows, userRows } from './activity.ts';
import type { Account, Call } from './call.ts';
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
export const routes: Readonly<Record<string, Route>> = {
  usage: { path: 'analytics/usage', rows: usageRows, usual: 20 },
  cost: { path: 'analytics/cost', rows: costRows, usual: 20 },
  claude_code: { path: 'usage_report/claude_code', kind: 'console', rows: claudeCodeRows, usual: 20 },
  summaries: { path: 'analytics/summaries', kind: 'enterprise', rows: summaryRows, usual: 366 },
  users: { path: 'analytics/users', kind: 'enterprise', rows: userRows, usual: 100 },
  skills: { path: 'analytics/skills', kind: 'enterprise', rows: skillRows, usual: 100 },
  connectors: { path: 'analytics/connectors', kind: 'enterprise', rows: connectorRows, usual: 100 },
};

/** What usage and cost need, and no other endpoint. */
export const BETA = 'analytics-usage-cost-2026-08-24';

const parameters =
  'beta date ending_at ending_date group_by[] limit order order_by page starting_at starting_date time_bucket_width';
const versions = ['2023-06-01', '2026-10-21'];
const scopes = { console: 'api:admin', enterprise: 'read:analytics' };

/** Refuses a request unless its key is of the right kind, and its headers and parameters are known. */
export function check({ kind }: Route, { headers, url }: ApiRequest, account: Account): void {
  if (!versions.includes(String(headers['anthropic-version']))) refuse(400, 'anthropic-version: unknown');
  const [got, needed] = [scopes[account.kind], scopes[kind ?? account.kind]];
  if (got !== needed) refuse(403, `Missing required scopes. Got: ['${got}'] Needed: ['${needed}']`);
  const betas = String(headers['anthropic-beta']).split(/ *, */);
  if (kind === undefined && !betas.includes(BETA)) refuse(404, 'Not Found');
  const unknown = url.searchParams.keys().find((name) => !parameters.split(' ').includes(name));
  if (unknown !== undefined) refuse(400, `${unknown}: Extra inputs are not permitted`);
}

/** A page of rows with the cursor of the next one, which is good for an hour and for the same query only. */
export function pageOf({ path, kind, rows, usual }: Route, call: Call): Row {
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
