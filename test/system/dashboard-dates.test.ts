import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ask, chosen, DAY_S, panelQueries } from './dashboard-queries.ts';
import { createPrograms } from './programs.ts';
import { makeBlocks, type PrometheusServer, startPrometheus } from './prometheus-server.ts';
import { backfilled, type Shown, scraped } from './timeline.ts';
import { requireTool } from './tools.ts';

const HOUR_S = 3600;
/** The days of the story ended so long ago that none of their blocks is the current one. */
const FIRST_DAYS_AGO = 40;

/** The figures of each day: 100 credits of model a times the day's number, and 10 of model b while it was used. */
const models = (day: number, b?: number) => ({ a: day * 100, ...(b === undefined ? {} : { b }) });

/** Days 0 to 7 were backfilled: the exporter was not running yet. */
const PAST = [0, 1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, models: models(day, 10) }));

/** Day 14 was missing and was backfilled later. */
const LATER = [{ day: 14, models: models(14) }];

const hour = (day: number, of: number) => day * 24 + of;

/** The output of the live exporters from day 9 on, when they were started. */
const LIVE: readonly Shown[] = [
  { at: hour(9, 8), instance: 'pod-1', day: 8, models: models(8, 10) },
  { at: hour(10, 0.4), instance: 'pod-1', day: 9, models: models(9, 10) },
  // Day 10 came nine hours late, and without model b, which disappeared.
  { at: hour(11, 9.2), instance: 'pod-1', day: 10, models: models(10) },
  // Day 11 was never the newest one: the platform was down until day 12 was available.
  { at: hour(13, 0.4), instance: 'pod-1', day: 12, models: models(12) },
  // Day 13 was revised in the afternoon, after a restart under another name in the morning.
  { at: hour(14, 0.4), instance: 'pod-1', day: 13, models: models(13) },
  { at: hour(14, 10), instance: 'pod-1' },
  { at: hour(14, 10.2), instance: 'pod-2', day: 13, models: models(13) },
  { at: hour(14, 15.1), instance: 'pod-2', day: 13, models: { a: 1350 } },
  // Day 14 is missing while it is the newest one. From day 15 on there are two replicas, one of them a day behind.
  { at: hour(16, 0.4), instance: 'pod-2', day: 15, models: models(15) },
  { at: hour(16, 0.9), instance: 'pod-3', day: 15, models: models(15) },
  { at: hour(17, 0.4), instance: 'pod-2', day: 16, models: models(16) },
  { at: hour(17, 3.9), instance: 'pod-3', day: 16, models: models(16) },
];
const END = hour(18, 0);

/** Credits of each day, and of model b; day 11 is blank. */
const EXPECTED = new Map(
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    .map((day): [number, number] => [day, day * 100 + 10])
    .concat([
      [10, 1000],
      [12, 1200],
      [13, 1350],
      [14, 1400],
      [15, 1500],
      [16, 1600],
    ]),
);

describe.runIf(requireTool('prometheus') && requireTool('promtool'))('each day of the dashboards', () => {
  const programs = createPrograms();
  const today = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S;
  const first = today - FIRST_DAYS_AGO * DAY_S;
  let prometheus: PrometheusServer;

  async function shown(
    where: string,
    labels: Readonly<Record<string, string>> = {},
  ): Promise<Map<number, number>> {
    const target = panelQueries().find((query) => query.where === where)?.target;
    if (target === undefined) throw new Error(`no such query: ${where}`);
    const span = { from: first, today: first + 20 * DAY_S, now: first + 20 * DAY_S };
    const answered = await ask(prometheus, target, span);
    const expected = answered.filter((series) =>
      Object.entries(labels).every(([name, value]) => series.labels[name] === value),
    );
    return new Map(
      expected.flatMap(({ values }) => values.map(([second, value]) => [(second - first) / DAY_S, value])),
    );
  }

  async function valueAt(where: string, at: number): Promise<number | undefined> {
    const expr = panelQueries().find((query) => query.where === where)?.target.expr ?? '';
    return (await prometheus.instant(chosen(expr, '20d'), first + at * HOUR_S))[0]?.values[0]?.[1];
  }

  beforeAll(async () => {
    const folder = join(programs.folder(), 'out');
    await mkdir(folder);
    await writeFile(join(folder, 'old-past.om'), backfilled(first, PAST.slice(0, 3), 23));
    await writeFile(join(folder, 'past.om'), backfilled(first, PAST.slice(3)));
    await writeFile(join(folder, 'live.om'), scraped(first, LIVE, END));
    await writeFile(join(folder, 'later.om'), backfilled(first, LATER));
    prometheus = await startPrometheus(programs, { tsdb: await makeBlocks(programs, folder) });
  });

  test.each(['credits.json “Credits by day” A', 'credits.json “Credits in the range” A'])(
    'is plotted on its day, late, missing, revised, restarted or replicated: %s',
    async (where) => {
      expect(await shown(where)).toEqual(EXPECTED);
    },
  );

  test('ends a model on its last day', async () => {
    const b = await shown('credits.json “Models by credits” A', { model: 'b' });
    expect(b).toEqual(new Map([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((day) => [day, 10])));
    const a = await shown('credits.json “Models by credits” A', { model: 'a' });
    expect([...a.keys()]).toEqual([...EXPECTED.keys()]);
    const weeks = await shown('credits.json “Share of each model by week” A', { model: 'a' });
    expect(weeks.size).toBeGreaterThan(1);
    // Each at the end of its seven days.
    for (const [end, sum] of weeks) {
      const days = [...a].filter(([day]) => day >= end - 7 && day < end);
      expect(sum).toBe(days.reduce((all, [, credits]) => all + credits, 0));
    }
  });

  test('is the newest one while it is, and no longer', async () => {
    const NEWEST = 'credits.json “Credits” E';
    expect(await valueAt(NEWEST, hour(11, 9))).toBe(910);
    expect(await valueAt(NEWEST, hour(11, 9.5))).toBe(1000);
    expect(await valueAt(NEWEST, hour(14, 16))).toBe(1350);
  });
});
