import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { createAsked, oneDay, yesterday } from './asking.ts';

const asked = createAsked();
const endpoints = ['tokens', 'tools', 'activity', 'productivity', 'users'];

describe('the analytics envelope', () => {
  test.each(endpoints)('/%s answers 200 with data and meta', async (endpoint) => {
    const { status, headers, body } = await asked.analytics(endpoint);
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(Object.keys(body)).toEqual(['data', 'meta']);
    expect(body.data.length).toBeGreaterThan(0);
    expect(body.meta).toMatchObject({
      org_id: asked.sandbox.orgs[0]?.orgId,
      start_date: yesterday,
      end_date: yesterday,
    });
  });

  test.each(endpoints.slice(0, 4))('/%s has one row per day and no paging', async (endpoint) => {
    const { body } = await asked.analytics(endpoint, { startDate: '2026-11-16', endDate: '2026-11-19' });
    expect(body.data.map((row: { date: string }) => row.date)).toEqual([
      '2026-11-16',
      '2026-11-17',
      '2026-11-18',
      '2026-11-19',
    ]);
    expect(body.meta).not.toHaveProperty('has_more');
  });
});

describe('grouping', () => {
  test.each([
    ['tokens', 'model', ['billable_tokens', 'date', 'group_key', 'input_tokens', 'output_tokens']],
    ['tools', 'tool_name', ['date', 'group_key', 'tool_calls']],
    ['activity', 'client', ['daily_active_users', 'date', 'group_key']],
  ])('/%s groups by %s, one row per day and value', async (endpoint, groupBy, fields) => {
    const rows = await asked.rows(endpoint, '2026-11-18', '2026-11-19', { group_by: groupBy });
    for (const row of rows) expect(Object.keys(row).sort()).toEqual(fields);
    const keys = rows.map((row) => `${row['date']} ${row['group_key']}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(rows.map((row) => row['date']))).toEqual(new Set(['2026-11-18', '2026-11-19']));
  });

  test.each(['tokens', 'tools', 'activity'])('/%s refuses another group_by', async (endpoint) => {
    const { status, body } = await asked.analytics(endpoint, { ...oneDay, group_by: 'user' });
    expect([status, body.detail]).toEqual([400, expect.stringContaining('group_by')]);
  });

  test('/productivity has no grouping and does not look at group_by', async () => {
    expect((await asked.analytics('productivity', { ...oneDay, group_by: 'model' })).status).toBe(200);
  });
});

describe('dates', () => {
  const lag = "Cannot query today's date - analytics data has a 24-hour lag";
  test.each([
    ['another date format', { startDate: '19/11/2026', endDate: yesterday }, /format YYYY-MM-DD/],
    ['an instant', { startDate: '2026-11-19T00:00:00Z', endDate: yesterday }, /format YYYY-MM-DD/],
    ['a month without zero', { startDate: '2026-1-19', endDate: yesterday }, /format YYYY-MM-DD/],
    ['a day that no calendar has', { startDate: '2026-02-30', endDate: yesterday }, /no such calendar date/],
    ['a month that no calendar has', { startDate: '2026-02-01', endDate: '2026-13-01' }, /no such calendar/],
    ['no startDate', { endDate: yesterday }, /startDate is required/],
    ['no endDate', { startDate: yesterday }, /endDate is required/],
    ['reversed dates', { startDate: '2026-11-19', endDate: '2026-11-18' }, /must not be after/],
    ['today', { startDate: yesterday, endDate: '2026-11-20' }, new RegExp(`^${lag}$`)],
    ['a later day', { startDate: '2026-12-01', endDate: '2026-12-02' }, new RegExp(`^${lag}$`)],
  ])('%s is refused by every endpoint', async (_, query, detail) => {
    for (const endpoint of endpoints) {
      const { status, body } = await asked.analytics(endpoint, query);
      expect(status).toBe(400);
      expect(body).toEqual({
        title: 'Bad Request',
        detail: expect.stringMatching(detail),
        status: 400,
        requestId: expect.stringMatching(/^req_/),
      });
    }
  });

  test('today is the day of the clock in UTC, to the millisecond', async () => {
    const moved = createAsked();
    moved.clock.now = Date.UTC(2026, 10, 20) - 1;
    expect((await moved.analytics('activity')).status).toBe(400);
    moved.clock.now += 1;
    expect((await moved.analytics('activity')).status).toBe(200);
  });

  test('there are no rows before 2026-01-14, and requesting them is not an error', async () => {
    for (const endpoint of endpoints) {
      expect(await asked.rows(endpoint, '2025-12-01', '2026-01-13')).toEqual([]);
      const [first] = await asked.rows(endpoint, '2026-01-13', '2026-01-15');
      expect(first).toMatchObject({ date: '2026-01-14' });
    }
  });
});

describe('the limit of /users', () => {
  test.each(['0', '101', '-1', 'ten', '1.5', ''])('%j is refused', async (limit) => {
    const { status, body } = await asked.analytics('users', { ...oneDay, limit });
    expect([status, body.title, body.detail]).toEqual([
      400,
      'Bad Request',
      'limit must be a number between 1 and 100',
    ]);
  });

  test.each(['1', '100'])('%s is allowed', async (limit) => {
    expect((await asked.analytics('users', { ...oneDay, limit })).status).toBe(200);
  });

  test('is 20 by default', async () => {
    const large = createAsked({ users: 150 });
    expect(await large.rows('users', yesterday, yesterday)).toHaveLength(20);
  });
});

describe('who may read analytics', () => {
  test.each(endpoints)('/%s is for owners and managers', async (endpoint) => {
    const path = `/api/v1/analytics/${endpoint}`;
    expect((await asked.get(path, oneDay, 'sandbox-acme-owner')).status).toBe(200);
    expect((await asked.get(path, oneDay, 'sandbox-acme-manager')).status).toBe(200);
    for (const role of ['member', 'guest']) {
      const { status, body } = await asked.get(path, oneDay, `sandbox-acme-${role}`);
      expect(status).toBe(403);
      expect(body).toMatchObject({ title: 'Forbidden', status: 403, requestId: expect.any(String) });
    }
  });

  test('an invalid request without the role is still a 403', async () => {
    expect((await asked.get('/api/v1/analytics/tokens', {}, 'sandbox-acme-guest')).status).toBe(403);
  });

  test.each(endpoints)('/%s answers 401 without a good key', async (endpoint) => {
    const path = `/api/v1/analytics/${endpoint}`;
    const { status, body } = await asked.get(path, oneDay, 'sandbox-acme-boss');
    expect(status).toBe(401);
    expect(Object.keys(body).sort()).toEqual(['detail', 'requestId', 'status', 'title']);
    expect((await request(asked.sandbox.handler).get(path).query(oneDay)).status).toBe(401);
    const basic = request(asked.sandbox.handler).get(path).query(oneDay).set('authorization', 'Basic eDp5');
    expect((await basic).status).toBe(401);
  });
});

test('an internal error has the body of the analytics endpoints', async () => {
  const { analytics } = createAsked({ faults: ['500'] });
  const { status, body } = await analytics('tokens');
  expect(status).toBe(500);
  expect(body).toEqual({
    title: 'Internal Server Error',
    detail: expect.any(String),
    status: 500,
    requestId: expect.any(String),
  });
});
