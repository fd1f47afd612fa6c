import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { chosen, DAY_S, panelQueries } from './dashboard-queries.ts';
import { createPrograms } from './programs.ts';
import { makeBlocks, type PrometheusServer, startPrometheus } from './prometheus-server.ts';
import { requireTool } from './tools.ts';

/** A year that is over, so that its days have fixed dates whenever the test runs. */
const YEAR = new Date().getUTCFullYear() - 1;
const secondOf = (month: number, day: number) => Date.UTC(YEAR, month - 1, day) / 1000;
const [FIRST, LAST] = [secondOf(2, 1), secondOf(4, 30)];
/** A day that was never published. */
const MISSING = secondOf(3, 10);
/** The budget of one of the organizations; the other has none. */
const BUDGET = 3000;
/** From a day's start to the evening on which it is the newest one. */
const EVENING_S = 40 * 3600;

/** Credits of a day of the month: 100, and twice as many for the second organization. */
function month(second: number): number {
  return new Date(second * 1000).getUTCDate() * 100;
}

/** Each day as the newest one from noon of the next day to its evening, at every full hour. */
function openMetrics(): string {
  const lines = new Map<string, string[]>();
  const add = (name: string, labels: string, value: number, at: number) =>
    lines.set(name, [...(lines.get(name) ?? []), `${name}{job="a",instance="b",${labels}} ${value} ${at}`]);
  for (let day = FIRST; day <= LAST; day += DAY_S) {
    if (day === MISSING) continue;
    for (let at = day + 1.5 * DAY_S; at <= day + EVENING_S; at += 3600)
      for (const [org, times] of [
        ['acme', 1],
        ['globex', 2],
      ] as const) {
        const labels = `org="${org}"`;
        add('agent_platform_data_day_timestamp_seconds', `${labels},dataset="tokens"`, day, at);
        add('agent_platform_credits_month_to_date', labels, times * month(day), at);
        add('agent_platform_credits_month_forecast', labels, times * 3100, at);
        add('agent_platform_daily_credits', labels, times * 100, at);
        if (org === 'globex') continue;
        add('agent_platform_credits_month_budget', labels, BUDGET, at);
        add('agent_platform_daily_cost', `${labels},currency="EUR"`, 3, at);
        add('agent_platform_credit_price', `${labels},currency="EUR"`, 0.03, at);
      }
  }
  return [...lines]
    .flatMap(([name, all]) => [`# TYPE ${name} gauge`, ...all])
    .concat('# EOF\n')
    .join('\n');
}

describe.runIf(requireTool('prometheus') && requireTool('promtool'))('the month and the week', () => {
  const programs = createPrograms();
  let prometheus: PrometheusServer;

  /** A figure on the evening on which the day is the newest one. */
  async function figure(where: string, day: number): Promise<number | undefined> {
    const query = panelQueries().find((one) => one.where === where);
    if (query === undefined) throw new Error(`no such query: ${where}`);
    const answered = await prometheus.instant(chosen(query.target.expr, '30d'), day + EVENING_S);
    return answered[0]?.values[0]?.[1];
  }

  beforeAll(async () => {
    const folder = join(programs.folder(), 'out');
    await mkdir(folder);
    await writeFile(join(folder, 'story.om'), openMetrics());
    prometheus = await startPrometheus(programs, { tsdb: await makeBlocks(programs, folder) });
  });

  test('are compared with the same day of the month before, or with the last day of a shorter one', async () => {
    const CHANGE = 'overview.json “This month” C';
    const lengthOfFebruary = new Date(Date.UTC(YEAR, 2, 0)).getUTCDate();
    expect(await figure(CHANGE, secondOf(3, 15))).toBeCloseTo(0);
    expect(await figure(CHANGE, secondOf(3, 31))).toBeCloseTo(31 / lengthOfFebruary - 1);
    expect(await figure(CHANGE, secondOf(4, 30))).toBeCloseTo(0);
    // The day of the month before is not known.
    expect(await figure(CHANGE, secondOf(4, 10))).toBeUndefined();
  });

  test('sum the cost of seven days, or nothing where one is missing', async () => {
    const COST = 'overview.json “Spend in 7 days” A';
    expect(await figure(COST, secondOf(3, 9))).toBe(21);
    expect(await figure(COST, secondOf(3, 12))).toBeUndefined();
    expect(await figure(COST, secondOf(3, 17))).toBe(21);
  });

  test('say until when the budget lasts, of the organization that has one', async () => {
    const LEFT = 'overview.json “Budget lasts” A';
    // On the 20th, 1000 of the budget are left, and the forecast is 1100 more for 11 days.
    expect(await figure(LEFT, secondOf(3, 20))).toBeCloseTo(10);
    expect(await figure(LEFT, secondOf(3, 30))).toBe(0);
    expect(await figure('credits.json “Budget used” A', secondOf(3, 15))).toBeCloseTo(0.5);
    expect(await figure('credits.json “Budget” B', secondOf(3, 15))).toBe(1500);
  });
});
