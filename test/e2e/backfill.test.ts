import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readStore } from '../../src/app/store.ts';
import { addDays, type Day, dayOf } from '../../src/catalog/day.ts';
import type { OrgSettings } from '../../src/catalog/settings.ts';
import { collectors as all } from '../../src/collectors/index.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { bring, filesIn, fileTarget, folder } from '../backfill/brought.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { DAY, HOUR, type StoryOptions, startStory } from './harness.ts';
import { readPage } from './page.ts';

// The platform's list of wiki runs has no history.
const collectors = all.filter((collector) => !('past' in collector));
const noon = Date.UTC(2026, 10, 18, 12);
const historyStart = dayNamed('2026-10-12');
const contract = {
  seats: 20,
  creditsPerMonth: 5e8,
  prices: [{ from: dayNamed('2026-01-14'), currency: 'USD', perMillionCredits: 2.7 }],
};

interface Days {
  /** What `/metrics` showed at noon, by newest day. */
  readonly live: Readonly<Record<string, readonly string[]>>;
  readonly history: string;
  readonly now: number;
}

/** Lets some days pass and records what was shown on each. */
async function liveThrough(count: number, options: StoryOptions): Promise<Days> {
  const history = join(folder(), 'history.db');
  const story = await startStory({
    begins: noon,
    contract,
    // All of them: no report is forgotten from one day to the next.
    sandbox: { days: 400 },
    collectors: collectors.map(({ name }) => name),
    ...options,
    file: `readiness: {criterion_counts: true}\n${options.file ?? ''}`,
    flags: [`storage.path=${history}`, `history.start=${historyStart}`, ...(options.flags ?? [])],
  });
  const live: Record<string, readonly string[]> = {};
  for (let index = 0; index < count; index++) {
    // The clock advances a little during polls; seconds after noon, everything is still the same.
    if (index > 0) {
      story.clock.advance(noon + index * DAY - story.clock.now());
      await story.poll();
    }
    live[dayOf(noon + (index - 1) * DAY)] = (await story.page()).platform();
  }
  const now = story.clock.now();
  await story.stop();
  return { live, history, now };
}

/** What a backfill writes for the same days, in the same format. */
async function backfilled(
  { live, history: path, now }: Days,
  settings: Partial<OrgSettings>,
  limits: { labelLimit?: (label: string) => number; seriesBudget?: number; stepMs?: number } = {},
): Promise<Readonly<Record<string, readonly string[]>>> {
  const history = await readStore({
    ...{ path, url: undefined, orgs: ['acme'], collectors },
    clock: { ...createSystemClock(), elapsed: () => 0 },
    log: createFakeLogger(),
  });
  const output = folder();
  const days = Object.keys(live).sort() as Day[];
  const [from = historyStart] = days;
  const outcome = await bring({
    orgs: [
      {
        settings: {
          name: 'acme',
          readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: true },
          contract,
          ...settings,
        },
        history: await history.read('acme'),
      },
    ],
    collectors,
    from,
    to: days.at(-1) ?? from,
    historyStart,
    now: now + 4 * HOUR,
    target: await fileTarget(join(output, 'all.om')),
    ...limits,
  });
  await history.close();
  expect(outcome.unknown).toEqual(new Map());
  const text = filesIn(output)['all.om'] ?? '';
  const lines = text.split('\n').filter((line) => line.startsWith('agent_platform_'));
  const byStamp = Map.groupBy(lines, (line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
  return Object.fromEntries(
    days.map((day) => {
      const stamp = Date.parse(`${addDays(day, 1)}T12:00:00Z`) / 1000;
      const stamped = (byStamp.get(stamp) ?? []).map((line) =>
        line.slice(0, line.lastIndexOf(' ')).replace(',job="agent-platform"', ''),
      );
      return [day, readPage(`${stamped.join('\n')}\n`).platform()];
    }),
  );
}

describe('a backfill writes, sample by sample, what /metrics showed at noon of the next day', () => {
  test('of every family, on several days', async () => {
    const days = await liveThrough(3, {});
    expect(Object.keys(days.live)).toEqual(['2026-11-17', '2026-11-18', '2026-11-19']);
    expect(await backfilled(days, {})).toEqual(days.live);
    expect(days.live['2026-11-19']?.length).toBeGreaterThan(500);
  });

  test('folded over the limit of values, and without the families over the limit of series', async () => {
    const file = 'limits: {values_per_label: {default: 4, repo: 3}, series: 120}\n';
    const days = await liveThrough(2, { file });
    const limits = {
      labelLimit: (label: string) => (label === 'repo' ? 3 : label === 'user' ? 20_000 : 4),
      seriesBudget: 120,
    };
    expect(await backfilled(days, {}, limits)).toEqual(days.live);
    expect(await backfilled(days, {}, { ...limits, stepMs: 12 * HOUR })).toEqual(days.live);
    expect(days.live['2026-11-18']?.some((line) => line.includes('="other"'))).toBe(true);
    expect(days.live['2026-11-18']?.some((line) => line.includes('readiness_criterion_passed'))).toBe(false);
  });
});
