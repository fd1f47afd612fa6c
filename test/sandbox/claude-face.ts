import request, { type Response } from 'supertest';
import { createClaudeSandbox } from '../../src/sandbox/index.ts';
import { type Json, rowsOf } from './asking.ts';

type Options = Partial<Parameters<typeof createClaudeSandbox>[0]>;

/** Friday, 2026-11-20, 12:00 UTC: the newest aggregated day is the 19th, and money is known until 08:00. */
export const noon = Date.UTC(2026, 10, 20, 12);
export const hour = 3_600_000;
export const yesterday = '2026-11-19';

/** Keys of the two accounts of one organization. */
export const admin = 'sk-ant-admin01-sandbox-acme';
export const analytics = 'sk-ant-api01-sandbox-acme-enterprise';

export const beta = { 'anthropic-beta': 'analytics-usage-cost-2026-08-24' };
export const version = { 'anthropic-version': '2023-06-01' };

/** The parameters for money of the days from `start` up to, and without, `end`; the oldest first. */
export function days(start: string, end: string, more: Json = {}): Json {
  const range = { starting_at: `${start}T00:00:00Z`, ending_at: `${end}T00:00:00Z`, time_bucket_width: '1d' };
  return { ...range, order_by: 'time', order: 'asc', limit: 1000, ...more };
}

/** A simulated Claude whose clock the test controls, and how to ask it. */
export function createAsked(options: Options = {}) {
  const clock = { now: noon };
  const sandbox = createClaudeSandbox({ now: () => clock.now, pace: 'unlimited', ...options });

  async function get(path: string, query: Json = {}, headers: Json = {}): Promise<Response> {
    const given: Json = { 'x-api-key': admin, ...version, ...beta, ...headers };
    const sent = Object.entries(given).filter(([, value]) => value !== undefined);
    return await request(sandbox.handler)
      .get(`/v1/organizations/${path}`)
      .query(query)
      .set(Object.fromEntries(sent.map(([name, value]) => [name, String(value)])));
  }

  /** The rows of the first page. */
  async function rows(path: string, query: Json = {}, key: string = admin): Promise<Json[]> {
    return rowsOf((await get(path, query, { 'x-api-key': key })).body, 'data');
  }

  return { sandbox, clock, get, rows };
}

/** The member of an object that is reached by these names. */
export function at(row: Json | undefined, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((value, name) => (value as Json | undefined)?.[name], row);
}

/** The sum of an amount in millionths of a cent, exactly. */
export function amounts(rows: readonly Json[], name = 'amount'): bigint {
  return rows.reduce((sum, row) => sum + BigInt(String(at(row, 'cost', name)).replace('.', '')), 0n);
}
