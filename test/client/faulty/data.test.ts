import { describe, expect, test } from 'vitest';
import { type Json, noon, oneDay, rowsOf, yesterday } from '../../sandbox/asking.ts';
import { createFaultyAsked } from './asking.ts';

const hour = 3_600_000;

describe('time', () => {
  test('clock-behind: our yesterday can be the platform’s today', async () => {
    const { clock, analytics } = createFaultyAsked({ faults: ['clock-behind=13'] });
    expect((await analytics('tokens')).status).toBe(400);
    clock.now = noon + hour;
    expect((await analytics('tokens')).status).toBe(200);
  });
});

describe('paging', () => {
  test('repeated-cursor: the cursor leads back to itself', async () => {
    const { analytics } = createFaultyAsked({ faults: ['repeated-cursor'] });
    const first = await analytics('users', { ...oneDay, limit: 5 });
    const cursor = first.body.meta.next_cursor;
    const second = await analytics('users', { ...oneDay, limit: 5, cursor });
    expect(second.body.meta).toMatchObject({ has_more: true, next_cursor: cursor });
  });

  test('null-cursor: the last page has a cursor of null', async () => {
    const { analytics } = createFaultyAsked({ faults: ['null-cursor'] });
    const { body } = await analytics('users', { ...oneDay, limit: 100 });
    expect(body.meta).toMatchObject({ has_more: false, next_cursor: null });
  });

  test.each([
    ['text', { has_more: 'true', next_cursor: expect.any(String) }],
    ['number', { has_more: 1, next_cursor: 7 }],
    ['list', { has_more: true, next_cursor: [expect.any(String)] }],
    ['object', { has_more: true, next_cursor: { id: expect.any(String) } }],
    ['null', { has_more: null, next_cursor: null }],
  ])('odd-paging=%s: paging metadata of another type', async (detail, expected) => {
    const { analytics } = createFaultyAsked({ faults: [`odd-paging=${detail}`] });
    const { body } = await analytics('users', { ...oneDay, limit: 5 });
    expect(body.meta).toMatchObject(expected);
  });

  test('odd-paging=missing: no paging metadata at all', async () => {
    const { analytics } = createFaultyAsked({ faults: ['odd-paging=missing'] });
    const { body } = await analytics('users', { ...oneDay, limit: 5 });
    expect(Object.keys(body.meta)).toEqual(['org_id', 'start_date', 'end_date']);
  });

  test('ignore-limit: pages hold everything', async () => {
    const { rows, reports } = createFaultyAsked({ faults: ['ignore-limit'] });
    expect((await rows('users', yesterday, yesterday, { limit: 1 })).length).toBeGreaterThan(10);
    expect((await reports({ limit: 1 })).length).toBeGreaterThan(100);
  });

  test('limit-cap: pages have fewer items than requested', async () => {
    const { rows, reports } = createFaultyAsked({ faults: ['limit-cap=4'] });
    expect(await rows('users', yesterday, yesterday, { limit: 50 })).toHaveLength(4);
    expect(await reports({ limit: 50 })).toHaveLength(4);
    expect(await reports({ limit: 2 })).toHaveLength(2);
  });

  test('ignore-start-after: the listing starts over', async () => {
    const { reports } = createFaultyAsked({ faults: ['ignore-start-after'] });
    const first = await reports({ limit: 3 });
    expect(await reports({ limit: 3, startAfter: first.at(-1)?.['reportId'] })).toEqual(first);
  });

  test('oldest-first: the order of the listing is reversed, and that of its pages', async () => {
    const { sandbox, reports } = createFaultyAsked();
    const newestFirst = await reports({});
    sandbox.setFaults(['oldest-first']);
    const all = await reports({});
    expect(all).toEqual(newestFirst.toReversed());
    expect(await reports({ limit: 4, startAfter: all[9]?.['reportId'] })).toEqual(all.slice(10, 14));
  });
});

describe('rows', () => {
  test('no-by-model: tokens come without breakdowns, but can be grouped', async () => {
    const { rows } = createFaultyAsked({ faults: ['no-by-model'] });
    const [row = {}] = await rows('tokens', yesterday, yesterday);
    expect(Object.keys(row)).not.toContain('by_model');
    expect(Object.keys(row)).not.toContain('by_user');
    expect((await rows('tokens', yesterday, yesterday, { group_by: 'model' })).length).toBeGreaterThan(3);
  });

  test('null-numerators: about half the criteria are skipped', async () => {
    const [report = {}] = await createFaultyAsked({ faults: ['null-numerators'] }).reports({ limit: 1 });
    const criteria = Object.values(report['report'] as Record<string, Json>);
    const skipped = criteria.filter((one) => one['numerator'] === null).length / criteria.length;
    expect(skipped).toBeGreaterThan(0.3);
    expect(skipped).toBeLessThan(0.8);
  });

  test.each(['tokens', 'users'])(
    'worse-again: %s are valid once, and damaged whenever they are requested again',
    async (endpoint) => {
      const { rows, sandbox } = createFaultyAsked({ faults: ['worse-again'] });
      const good = await rows(endpoint, yesterday, yesterday);
      const worse = await rows(endpoint, yesterday, yesterday);
      expect(worse).not.toEqual(good);
      expect(await rows(endpoint, yesterday, yesterday)).toEqual(worse);
      sandbox.setFaults([]);
      expect(await rows(endpoint, yesterday, yesterday)).toEqual(good);
    },
  );

  test('doubled-days: each day has two rows with different numbers', async () => {
    const { rows } = createFaultyAsked({ faults: ['doubled-days=1'] });
    const [one, other, ...more] = await rows('activity', yesterday, yesterday);
    expect(more).toEqual([]);
    expect(one).toMatchObject({ date: yesterday });
    expect(other).toMatchObject({ date: yesterday });
    expect(other).not.toEqual(one);
  });

  test('strange-dates: dates that were not requested, and invalid ones', async () => {
    const { rows } = createFaultyAsked({ faults: ['strange-dates=1'] });
    const dates = (await rows('activity', '2026-06-01', yesterday)).map(({ date }) => date);
    expect(dates.filter((date) => String(date).startsWith('2025-')).length).toBeGreaterThan(0);
    expect(dates.filter((date) => String(date).endsWith('T00:00:00Z')).length).toBeGreaterThan(0);
    expect(dates.filter((date) => typeof date !== 'string').length).toBeGreaterThan(0);
    expect(dates.filter((date) => /^2026-\d\d-\d\d$/.test(String(date)) && date !== '2026-02-30')).toEqual(
      [],
    );
  });

  test('bad-rows: some rows violate the contract, the same ones each time', async () => {
    const { sandbox, rows } = createFaultyAsked();
    const good = await rows('activity', '2026-01-14', yesterday);
    sandbox.setFaults(['bad-rows']);
    const bad = await rows('activity', '2026-01-14', yesterday);
    expect(await rows('activity', '2026-01-14', yesterday)).toEqual(bad);
    const changed = bad.filter((row, index) => JSON.stringify(row) !== JSON.stringify(good[index]));
    expect(changed.length / bad.length).toBeGreaterThan(0.12);
    expect(changed.length / bad.length).toBeLessThan(0.28);
    expect(changed).toContain(null);
    expect(changed.some((row) => row !== null && row['date'] === undefined)).toBe(true);
    const values = changed.flatMap((row) => (row === null ? [] : Object.values(row)));
    expect(values.some((value) => typeof value === 'number' && value < 0)).toBe(true);
    expect(values).toContain('NaN');
    expect(values).toContain(null);
  });

  test('bad-rows reach into lists, reports and wiki runs', async () => {
    const { rows, get, reports, sandbox } = createFaultyAsked();
    const good = await Promise.all([
      rows('tools', '2026-06-01', yesterday),
      reports({}),
      get('/api/v0/wiki'),
    ]);
    sandbox.setFaults(['bad-rows=1']);
    const bad = await Promise.all([rows('tools', '2026-06-01', yesterday), reports({}), get('/api/v0/wiki')]);
    const nested = bad[0].filter((row, index) => {
      const before = good[0][index];
      return row?.['by_tool'] && JSON.stringify(row['by_tool']) !== JSON.stringify(before?.['by_tool']);
    });
    expect(nested.length).toBeGreaterThan(0);
    expect(bad[1]).not.toEqual(good[1]);
    expect(bad[2].body).not.toEqual(good[2].body);
  });

  test('huge-numbers: some rows have numbers whose sums are not finite or not exact', async () => {
    const { rows } = createFaultyAsked({ faults: ['huge-numbers'] });
    const values = (await rows('activity', '2026-01-14', yesterday)).flatMap((row) => Object.values(row));
    expect(values).toContain(Number.MAX_VALUE);
    expect(values).toContain(2 ** 60);
  });
});

describe('the shape of the wiki listing', () => {
  test.each([
    ['bare', (body: unknown) => body],
    ['data', (body: unknown) => rowsOf(body, 'data')],
    ['runs', (body: unknown) => rowsOf(body, 'runs')],
  ])('wiki-shape=%s', async (shape, list) => {
    const { body } = await createFaultyAsked({ faults: [`wiki-shape=${shape}`] }).get('/api/v0/wiki');
    expect(list(body)).toHaveLength(9);
  });

  test('some shapes have times as ISO text, a status, and an end', async () => {
    const { body } = await createFaultyAsked({ faults: ['wiki-shape=runs'] }).get('/api/v0/wiki');
    for (const run of body.runs) expect(run.createdAt).toMatch(/^2026-11-\d\dT.*Z$/);
    expect(body.runs.map((run: Json) => run['status'])).toContain('completed');
    expect(body.runs.some((run: Json) => typeof run['completedAt'] === 'string')).toBe(true);
  });

  test('wiki-shape=unknown is a shape never seen before', async () => {
    const { status, body } = await createFaultyAsked({ faults: ['wiki-shape=unknown'] }).get('/api/v0/wiki');
    expect([status, Object.keys(body)]).toEqual([200, ['result']]);
  });
});
