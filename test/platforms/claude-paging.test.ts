import { describe, expect, test } from 'vitest';
import { reader } from '../../src/platforms/claude/money.ts';
import { PlatformError } from '../../src/text/errors.ts';
import { claudeSource, costRow, DAY, endpointOf, NEXT, pageOf, usageRow } from './claude-source.ts';

type Answers = Parameters<typeof claudeSource>[0];

const OPUS = { model: 'claude-opus-4-8' };
const refused = (status: number) => new PlatformError('server', `answered ${status}`, { status });

/** Reads the day; `cost` answers the listing of cost. */
async function readCost(cost: Answers) {
  const from = claudeSource((request) =>
    endpointOf(request) === 'usage' ? pageOf([usageRow(OPUS)]) : cost(request),
  );
  const fetched = reader.fetchDays(from.source, { from: DAY, to: DAY });
  const outcome = await fetched.then(
    ({ rows }) => rows.get(DAY)?.cost,
    (thrown: unknown) => thrown as Error,
  );
  return { outcome, costs: from.asked.filter((request) => endpointOf(request) === 'cost') };
}

/** Two pages of 5 and 7 cents, each time with new cursors, of which the first `gone` are refused. */
function twoPages(status: number, gone: number): Answers {
  let refusals = 0;
  return ({ query }) => {
    if (query['page'] === undefined)
      return pageOf([costRow(OPUS, '5')], { has_more: true, next_page: `page_${refusals}` });
    if (refusals < gone) {
      refusals += 1;
      return refused(status);
    }
    return pageOf([costRow(OPUS, '7')]);
  };
}

describe('the pages of a listing', () => {
  test('are asked for with one query, in order of time, and add up', async () => {
    const { outcome, costs } = await readCost(twoPages(410, 0));
    expect(outcome).toBe(0.12);
    const query = {
      starting_at: `${DAY}T00:00:00Z`,
      ending_at: `${NEXT}T00:00:00Z`,
      time_bucket_width: '1d',
      'group_by[]': 'model',
      order_by: 'time',
      order: 'asc',
      limit: '1000',
    };
    expect(costs.map((request) => request.query)).toEqual([query, { ...query, page: 'page_0' }]);
  });

  test.each([400, 410])('begin again, once, after a cursor was refused with %i', async (status) => {
    const once = await readCost(twoPages(status, 1));
    expect(once.outcome).toBe(0.12);
    expect(once.costs.map(({ query }) => query['page'])).toEqual([undefined, 'page_0', undefined, 'page_1']);
    const twice = await readCost(twoPages(status, 2));
    expect(twice.outcome).toMatchObject({ status });
    expect(twice.costs).toHaveLength(4);
  });

  test.each([401, 403, 404, 500])('do not begin again after a page was refused with %i', async (status) => {
    const { outcome, costs } = await readCost(twoPages(status, 1));
    expect(outcome).toMatchObject({ status });
    expect(costs).toHaveLength(2);
  });

  test.each([400, 410])('do not begin again where the first one is refused with %i', async (status) => {
    const { outcome, costs } = await readCost(() => refused(status));
    expect(outcome).toMatchObject({ status });
    expect(costs).toHaveLength(1);
  });

  test('end where nothing follows, whichever way it is said', async () => {
    expect((await readCost(() => ({ ...pageOf([costRow(OPUS, '5')]), has_more: undefined }))).outcome).toBe(
      0.05,
    );
    expect((await readCost(() => pageOf([costRow(OPUS, '5')], { next_page: 'page_x' }))).outcome).toBe(0.05);
    expect((await readCost(() => pageOf([costRow(OPUS, '5')], { next_page: '' }))).outcome).toBe(0.05);
    let pages = 0;
    const { outcome } = await readCost(() => {
      pages += 1;
      const next = pages < 3 ? `page_${pages}` : null;
      return pageOf([costRow(OPUS, '5')], { has_more: undefined, next_page: next });
    });
    expect(outcome).toBe(0.15);
  });

  test.each([
    ['without a list', () => ({ rows: [] })],
    ['with more, and no cursor', () => pageOf([], { has_more: true })],
    ['with a cursor that is no text', () => pageOf([], { next_page: 5 })],
    ['with a cursor that repeats', () => pageOf([costRow(OPUS, '5')], { has_more: true, next_page: 'same' })],
    ['that is empty, with a cursor', () => pageOf([], { has_more: true, next_page: 'more' })],
    ['with a row of another day', () => pageOf([costRow(OPUS, '5', {}, NEXT)])],
    ['with a row of an earlier day', () => pageOf([costRow(OPUS, '5', {}, '2026-11-18')])],
    ['with a row without cost', () => pageOf([{ ...costRow(OPUS, '5'), cost: 'five' }])],
    ['with a row without a day', () => pageOf([{ ...costRow(OPUS, '5'), starting_at: null }])],
  ])('%s are none', async (_, answer) => {
    expect((await readCost(answer)).outcome).toBeInstanceOf(Error);
  });
});
