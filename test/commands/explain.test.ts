import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { run } from '../../src/commands/explain.ts';
import { explainOptions } from '../../src/config/command-options.ts';
import { startRewriting } from '../e2e/rewriting.ts';
import { createEmptyShardContext, createPastContext, startPlatform } from './surroundings.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 18, 12) }));
afterEach(() => void vi.useRealTimers());

async function explained(args: readonly string[], platform?: string) {
  const { context, stdout } = await createPastContext(explainOptions, ['--format=json', ...args], platform);
  const code = await run(context);
  return { code, ...JSON.parse(stdout()) };
}

test('the newest day is compared with the same weekday of four weeks, and the parts add up', async () => {
  const { code, known, before, after, what, where } = await explained([]);
  expect([code, known]).toEqual([0, true]);
  expect(after.days).toEqual(['2026-11-17']);
  expect(before.days).toEqual(['2026-10-20', '2026-10-27', '2026-11-03', '2026-11-10']);
  const sum = what.reduce((total: number, { credits }: { credits: number }) => total + credits, 0);
  expect(sum).toBe(after.credits - before.credits);
  expect(where.models.length).toBeGreaterThan(1);
  expect(where.teams).toBeNull();
});

test('ranges are compared as daily means, with the teams that every day shows', async () => {
  const args = ['--from=2026-11-03..2026-11-05', '--to=2026-11-10..2026-11-12', '--collector.users'];
  const { code, before, after, where } = await explained(args);
  expect([code, before.days.length, after.days.length]).toEqual([0, 3, 3]);
  expect(where.teams).toEqual([{ name: 'none', credits: expect.any(Number) }]);
});

test('days without known credits are an exit code of 1', async () => {
  expect(await explained(['--to=2026-12-24'])).toEqual({ code: 1, org: 'acme', known: false });
});

test('a shard without an organization says so', async () => {
  const { context } = createEmptyShardContext(explainOptions);
  await expect(run(context)).rejects.toThrow('this shard has no organization');
});

/** A platform whose answers at these paths have no row of 16 November. */
async function withoutRow(paths: RegExp): Promise<string> {
  const { url } = await startPlatform();
  return startRewriting(url, (body, { pathname }) => {
    if (!Array.isArray(body['data']) || !paths.test(pathname)) return body;
    return { ...body, data: body['data'].filter(({ date }) => date !== '2026-11-16') };
  });
}

test('a recent day without a row is idle if no enabled collector shows activity on it', async () => {
  const { code, after } = await explained(['--to=2026-11-16'], await withoutRow(/analytics/));
  expect([code, after.credits]).toEqual([0, 0]);
});

test('a day without a row is unknown while another enabled collector may show activity on it', async () => {
  // As on a day of tool calls whose tokens are late.
  const late = await withoutRow(/tokens|activity/);
  const day = '--to=2026-11-16';
  expect(await explained([day], late)).toEqual({ code: 1, org: 'acme', known: false });
  const alone = [day, '--no-collector.tools', '--no-collector.productivity'];
  const { code, after } = await explained(alone, late);
  expect([code, after.credits]).toEqual([0, 0]);
});

test.each([
  '2026-11-05..2026-11-01',
  '2026-11-05..',
  '0001-01-01..9999-12-31',
  '2026-11-01..2026-11-02..2026-11-03',
])('%s is no range', async (range) => {
  await expect(explained([`--from=${range}`])).rejects.toThrow(
    'is not a day, or a range of at most 3660 days',
  );
});
