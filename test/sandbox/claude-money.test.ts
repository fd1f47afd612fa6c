import { describe, expect, test } from 'vitest';
import { type Json, rowsOf } from './asking.ts';
import { admin, amounts, analytics, at, createAsked, days, hour, noon } from './claude-face.ts';

const asked = createAsked();
const november = days('2026-11-01', '2026-11-20');
const byModel = { ...november, 'group_by[]': 'model' };

/** What a day costs, in millionths of a cent, at some hours after noon of 2026-11-20. */
async function costAt(hours: number, day: string, next: string): Promise<bigint> {
  const { clock, rows } = createAsked();
  clock.now = noon + hours * hour;
  return amounts(await rows('analytics/cost', days(day, next)));
}

describe('cost', () => {
  test('is in cents with six decimals, and less than at list price', async () => {
    for (const row of await asked.rows('analytics/cost', byModel)) {
      expect(Object.keys(row).sort()).toEqual(['cost', 'ending_at', 'group', 'starting_at']);
      expect(at(row, 'cost', 'amount')).toMatch(/^\d+\.\d{6}$/);
      expect(at(row, 'cost', 'list_amount')).toMatch(/^\d+\.\d{6}$/);
      expect(amounts([row])).toBeLessThan(amounts([row], 'list_amount'));
      expect(row['cost']).toMatchObject({ currency: 'USD', requests: expect.any(Number) });
    }
  });

  test.each([{ 'group_by[]': 'model' }, { 'group_by[]': 'actor' }, { 'group_by[]': ['actor', 'model'] }])(
    'grouped by %o has exactly the same sum, for each key',
    async (grouping) => {
      for (const key of [admin, analytics]) {
        const whole = await asked.rows('analytics/cost', november, key);
        const groups = await asked.rows('analytics/cost', { ...november, ...grouping }, key);
        expect(groups.length).toBeGreaterThan(whole.length);
        for (const name of ['amount', 'list_amount'])
          expect(amounts(groups, name)).toBe(amounts(whole, name));
      }
    },
  );

  test('has no row for a day without usage, and one row per day otherwise, of which all dimensions are null', async () => {
    const rows = await asked.rows('analytics/cost', november);
    const starts = rows.map((row) => String(row['starting_at']));
    expect(starts).toEqual([...new Set(starts)].sort());
    expect(starts).not.toContain('2026-11-08T00:00:00Z');
    for (const row of rows) {
      expect(new Set(Object.values(row['group'] as Json))).toEqual(new Set([null]));
      expect(Object.keys(row['group'] as Json)).toHaveLength(22);
    }
  });

  test('has, on some days, a part without a model and an actor', async () => {
    const rows = await asked.rows('analytics/cost', { ...november, 'group_by[]': ['model', 'actor'] });
    const execution = rows.filter((row) => at(row, 'group', 'model') === null);
    expect(execution.length).toBeGreaterThan(0);
    expect(execution.length).toBeLessThan(10);
    for (const row of execution) expect(at(row, 'group', 'actor')).toBeNull();
    const models = new Set(rows.map((row) => String(at(row, 'group', 'model') ?? 'claude-')));
    for (const model of models) expect(model).toMatch(/^claude-/);
  });

  test('is that of people with an address, of keys, and of people who have no account any more', async () => {
    const rows = await asked.rows('analytics/cost', {
      ...days('2026-09-01', '2026-10-02'),
      'group_by[]': 'actor',
    });
    const actors = rows.map((row) => at(row, 'group', 'actor') as Json | null);
    expect(actors).toContainEqual({
      type: 'user_actor',
      user_id: expect.stringMatching(/^user_/),
      email_address: expect.stringMatching(/^\S+@acme\.example$/),
      name: expect.any(String),
      deleted: false,
    });
    expect(actors).toContainEqual({
      type: 'api_actor',
      api_key_id: expect.stringMatching(/^apikey_\d+$/),
    });
    expect(actors).toContainEqual(
      expect.objectContaining({ deleted: true, email_address: null, name: 'Deleted User' }),
    );
    const later = await asked.rows('analytics/cost', { ...november, 'group_by[]': 'actor' });
    expect(later.filter((row) => at(row, 'group', 'actor', 'deleted') === true)).toEqual([]);
  });

  test('comes with the largest rows first, unless it is ordered by time', async () => {
    const rows = await asked.rows('analytics/cost', { ...november, order_by: undefined, order: undefined });
    const found = rows.map((row) => amounts([row]));
    expect(found).toEqual([...found].sort((one, other) => (one < other ? 1 : -1)));
  });
});

describe('usage', () => {
  test('adds up, whatever it is grouped by', async () => {
    const whole = await asked.rows('analytics/usage', november);
    const groups = await asked.rows('analytics/usage', byModel);
    for (const row of [...whole, ...groups]) {
      const usage = row['usage'] as Json;
      const creation = Object.values(usage['cache_creation'] as Json).map(Number);
      const kinds = ['uncached_input_tokens', 'cache_read_input_tokens', 'output_tokens'];
      const parts = [...creation, ...kinds.map((name) => Number(usage[name]))];
      for (const part of parts) expect(part).toBeGreaterThanOrEqual(0);
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(usage['total_tokens']);
      expect(Object.keys(row['group'] as Json)).toHaveLength(20);
      if (groups.includes(row)) expect(at(row, 'group', 'model')).toMatch(/^claude-/);
    }
    const total = (rows: readonly Json[]) =>
      rows.reduce((sum, row) => sum + Number(at(row, 'usage', 'total_tokens')), 0);
    expect(total(groups)).toBe(total(whole));
  });
});

describe('the figures of a day', () => {
  test('are known after four hours, and say until when they are', async () => {
    expect(await costAt(-8, '2026-11-20', '2026-11-21')).toBe(0n);
    const [atSix, atNoon] = [
      await costAt(-6, '2026-11-20', '2026-11-21'),
      await costAt(0, '2026-11-20', '2026-11-21'),
    ];
    expect(atSix).toBeGreaterThan(0n);
    expect(atNoon).toBeGreaterThan(atSix);
    const { body } = await asked.get('analytics/cost', days('2026-11-20', '2026-11-21'));
    expect(body.data_refreshed_at).toBe('2026-11-20T08:00:00Z');
    asked.clock.now = noon - 9 * hour;
    const early = await asked.get('analytics/cost', days('2026-11-20', '2026-11-21'));
    expect(early.body).toMatchObject({ data: [], data_refreshed_at: null });
    asked.clock.now = noon;
  });

  test('grow and shrink until 30 days after it, also on the last days, and are final then', async () => {
    const { clock, rows } = createAsked();
    const october = days('2026-10-01', '2026-11-01');
    const changes = new Map<string, Set<number>>();
    let last = new Map<string, bigint>();
    for (let day = Date.UTC(2026, 10, 3); day < Date.UTC(2026, 11, 10); day += 24 * hour) {
      clock.now = day + 12 * hour;
      const found = await rows('analytics/cost', october);
      const costs = new Map(found.map((row) => [String(row['starting_at']), amounts([row])]));
      for (const [start, cost] of costs) {
        const before = last.get(start) ?? cost;
        const age = Math.floor((day - Date.parse(start)) / (24 * hour));
        const key = cost === before ? 'same' : cost > before ? 'grown' : 'shrunk';
        changes.set(key, (changes.get(key) ?? new Set()).add(age));
      }
      last = costs;
    }
    for (const change of ['grown', 'shrunk']) {
      const ages = [...(changes.get(change) ?? [])];
      expect(Math.max(...ages)).toBeLessThanOrEqual(30);
      expect(ages.length).toBeGreaterThan(3);
    }
    expect(changes.get('grown')?.has(29) || changes.get('shrunk')?.has(29)).toBe(true);
  });

  test('grow on demand at any age', async () => {
    const { sandbox, rows } = createAsked();
    const query = days('2026-08-05', '2026-08-06');
    const before = amounts(await rows('analytics/cost', query));
    sandbox.reviseDay('2026-08-05');
    expect(amounts(await rows('analytics/cost', query))).toBeGreaterThan(before);
  });
});

describe('a query of money is refused', () => {
  test.each<[string, Json]>([
    ['without a start', { starting_at: undefined }],
    ['without an end', { ending_at: undefined }],
    ['without a bucket', { time_bucket_width: undefined }],
    ['with buckets of an hour', { time_bucket_width: '1h' }],
    ['with a time that has no zone', { starting_at: '2026-11-01T00:00:00' }],
    ['with a date', { starting_at: '2026-11-01' }],
    ['with an end before its start', { ending_at: '2026-10-01T00:00:00Z' }],
    ['over more than 31 days', { starting_at: '2026-10-19T00:00:00Z' }],
    ['before 2026', { starting_at: '2025-12-31T00:00:00Z', ending_at: '2026-01-03T00:00:00Z' }],
    ['about the future', { starting_at: '2026-11-21T00:00:00Z', ending_at: '2026-11-22T00:00:00Z' }],
    ['by a dimension that is not simulated', { 'group_by[]': ['model', 'product'] }],
    ['in an order that is not simulated', { order: 'desc' }],
    ['with a parameter that nobody knows', { bucket_width: '1d' }],
    ['with a page of no rows', { limit: 0 }],
    ['with a page of too many rows', { limit: 1001 }],
  ])('%s', async (_, change) => {
    const { status, body } = await asked.get('analytics/cost', { ...november, ...change });
    expect([status, body.error.type]).toEqual([400, 'invalid_request_error']);
  });

  test('about a day more than 365 days ago, but not about the one after it', async () => {
    const { clock, get } = createAsked();
    clock.now = Date.UTC(2027, 1, 1, 12);
    expect((await get('analytics/cost', days('2026-01-31', '2026-02-02'))).status).toBe(400);
    expect((await get('analytics/cost', days('2026-02-01', '2026-02-02'))).status).toBe(200);
  });
});

test('the same seed and clock give the same answers', async () => {
  const other = createAsked();
  expect(await other.rows('analytics/usage', byModel)).toEqual(await asked.rows('analytics/usage', byModel));
  const { body } = await createAsked({ seed: 2 }).get('analytics/usage', byModel);
  expect(rowsOf(body, 'data')).not.toEqual(await asked.rows('analytics/usage', byModel));
});
