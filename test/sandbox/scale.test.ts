import { expect, test } from 'vitest';
import { createAsked, oneDay, rowsOf, sum } from './asking.ts';

const large = createAsked({ users: 20_000, repos: 5000 });

test('20 000 users come in pages of 100, each its own', async () => {
  const { body } = await large.analytics('users', { ...oneDay, limit: 100 });
  expect(body.data).toHaveLength(100);
  const next = await large.analytics('users', { ...oneDay, limit: 100, cursor: body.meta.next_cursor });
  const ids = [...body.data, ...next.body.data].map((row) => row['user_id']);
  expect(new Set(ids).size).toBe(200);
});

test('the credits of 20 000 users are listed and balance', async () => {
  const [row = {}] = await large.rows('tokens', oneDay.startDate, oneDay.endDate);
  const accounts = rowsOf(row, 'by_user');
  expect(accounts.length).toBeGreaterThan(5000);
  expect(sum(accounts, 'billable_tokens') / Number(row['billable_tokens'])).toBeCloseTo(1, 2);
});

test('the reports of 5000 repositories come in pages of 100, each its own', async () => {
  const first = await large.reports({ limit: 100 });
  const next = await large.reports({ limit: 100, startAfter: first.at(-1)?.['reportId'] });
  expect(new Set([...first, ...next].map((report) => report['reportId'])).size).toBe(200);
});
