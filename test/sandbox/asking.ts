import request, { type Response } from 'supertest';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts';

export type Json = Record<string, unknown>;

/** A sandbox at noon of 2026-11-20, whose clock is controlled by the test. */
export interface Asked<Platform extends Sandbox> {
  readonly sandbox: Platform;
  readonly clock: { now: number };
  get(path: string, query?: Json, key?: string): Promise<Response>;
  analytics(endpoint: string, query?: Json): Promise<Response>;
  rows(endpoint: string, startDate: string, endDate: string, more?: Json): Promise<Json[]>;
  reports(query?: Json): Promise<Json[]>;
}

export const noon = Date.UTC(2026, 10, 20, 12);
export const yesterday = '2026-11-19';
export const ownerKey = 'sandbox-acme-owner';
export const readinessPath = '/api/organization/maturity-level-reports';
export const oneDay = { startDate: yesterday, endDate: yesterday };

export function createAsked(options: Partial<SandboxOptions> = {}): Asked<Sandbox> {
  return askedOf(createSandbox, options);
}

/** The same for another platform. */
export function askedOf<Platform extends Sandbox>(
  create: (options: SandboxOptions) => Platform,
  options: Partial<SandboxOptions>,
): Asked<Platform> {
  const clock = { now: noon };
  const sandbox = create({ now: () => clock.now, ...options });

  async function get(path: string, query: Json = {}, key: string = ownerKey): Promise<Response> {
    return await request(sandbox.handler).get(path).query(query).set('authorization', `Bearer ${key}`);
  }
  async function analytics(endpoint: string, query: Json = oneDay): Promise<Response> {
    return await get(`/api/v1/analytics/${endpoint}`, query);
  }
  return {
    sandbox,
    clock,
    get,
    analytics,
    async rows(endpoint, startDate, endDate, more = {}) {
      const { body } = await analytics(endpoint, { startDate, endDate, ...more });
      return rowsOf(body, 'data');
    },
    async reports(query = { limit: 1000 }) {
      const { body } = await get(readinessPath, query);
      return rowsOf(body, 'reports');
    },
  };
}

/** The list of a body with that name. */
export function rowsOf(body: unknown, name: string): Json[] {
  if (typeof body !== 'object' || body === null) throw new Error('The body is not an object.');
  const list = (body as Json)[name];
  if (!Array.isArray(list)) throw new Error(`The body has no list "${name}".`);
  return list;
}

export function sum(rows: readonly Json[], field: string): number {
  return rows.reduce((total, row) => total + Number(row[field]), 0);
}
