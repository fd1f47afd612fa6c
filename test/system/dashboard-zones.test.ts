import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  chosen,
  DAY_S,
  during,
  type Form,
  forOne,
  type PanelQuery,
  panelQueries,
} from './dashboard-queries.ts';
import { plantedOpenMetrics, type ShownDay } from './planted.ts';
import { createPrograms } from './programs.ts';
import { makeBlocks, type PrometheusServer, recordBlocks, startPrometheus } from './prometheus-server.ts';
import { requireTool } from './tools.ts';

const HOUR_S = 3600;
const DAYS = 12;
/** The hours after its end at which each organization's days are published. */
const PUBLISHED = { early: 1 / 3, morning: 6, evening: 20 } as const;
/** A day that was never published, and one that was and was backfilled later. */
const [MISSING, LATER] = [7, 9];
/** Days up to this one were backfilled: at noon, and those of one organization at 23:00 by an earlier version. */
const LAST_OF_PAST = 4;
/** Whole hours, and zones that are not. */
const OFFSETS = [...Array.from({ length: 24 }, (_, index) => index - 11), -9.5, -3.5, 5.5, 5.75, 9.5];

/** A published day stays on the page until the next one is. */
function story(org: keyof typeof PUBLISHED, stamp: number): readonly ShownDay[] {
  const days = Array.from({ length: DAYS }, (_, day) => day);
  const live = days.filter((day) => day > LAST_OF_PAST && day !== MISSING && day !== LATER);
  return days.flatMap((day): ShownDay[] => {
    if (day === LATER || day <= LAST_OF_PAST) return [{ org, day, at: (day + 1) * 24 + stamp }];
    if (!live.includes(day)) return [];
    const next = live.find((other) => other > day) ?? DAYS;
    const shownFrom = (of: number) => Math.ceil((of + 1) * 24 + PUBLISHED[org] - 1);
    return [{ org, day, at: { from: shownFrom(day), until: shownFrom(next) } }];
  });
}

const ofDays = panelQueries().filter(({ target }) => target.interval !== undefined);
const ofRanges = panelQueries().filter(({ target }) => target.expr.includes('__range_s'));

/** The sum of the planted figures of a person, by position, over the organizations. */
function sumOfPerson(days: readonly number[], index: number): number {
  const orgs = Object.keys(PUBLISHED);
  return orgs
    .flatMap((org) => days.map((day) => (day + 1) * 1000 + index + org.length / 100))
    .reduce((sum, value) => sum + value, 0);
}

/** A step that has a point at the midnight of every time zone. */
const STEP_S = 900;

describe.runIf(requireTool('prometheus') && requireTool('promtool'))('a viewer’s time zone', () => {
  const programs = createPrograms();
  const today = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S;
  const first = today - 40 * DAY_S;
  let prometheus: PrometheusServer;

  /** What viewers see, by offset from UTC: the values on each date, by series. */
  async function seen(
    { target }: PanelQuery,
    org: string,
    form: Form = 'raw',
  ): Promise<(offset: number) => unknown> {
    const ofOrg = chosen(target.expr, `${DAYS}d`, form).replaceAll('org=~".+"', `org="${org}"`);
    const query = forOne(ofOrg);
    // The value at an instant does not depend on the step: one query has the points of all zones.
    const points = await prometheus.range(query, first - 2 * DAY_S, first + (DAYS + 2) * DAY_S, STEP_S);
    const series = points.map(({ labels, values }) => ({ labels, values: new Map(values) }));
    // Of two states of one day, that of a target and that of a backfill, the exporter's own series show the larger one.
    const ofDay = (expression: string) => expression.includes('offset -2d');
    // A figure of the day can be divided by a state.
    const hasState = target.expr.split(' / ').some((part) => part.includes('offset -1d') && !ofDay(part));
    const ambiguous = hasState || !ofDay(target.expr) ? LATER + 1 : undefined;
    return (offset) => {
      const found: unknown[] = [];
      for (let date = -1; date <= DAYS; date++) {
        if (date === ambiguous) continue;
        for (const { labels, values } of series) {
          const value = values.get(first + date * DAY_S - offset * HOUR_S);
          if (value !== undefined) found.push({ date, labels, value });
        }
      }
      return found;
    };
  }

  beforeAll(async () => {
    const folder = join(programs.folder(), 'out');
    await mkdir(folder);
    const shown = [...story('early', 12), ...story('morning', 12), ...story('evening', 23)];
    await writeFile(join(folder, 'planted.om'), plantedOpenMetrics(first, shown));
    const tsdb = await makeBlocks(programs, folder);
    await recordBlocks(programs, tsdb, { from: first, to: first + (DAYS + 2) * DAY_S });
    prometheus = await startPrometheus(programs, { tsdb });
  });

  test.each(ofDays)(
    'shows each UTC day on its date, however late it was published: $where',
    async (query) => {
      for (const org of Object.keys(PUBLISHED)) {
        const [dates, recorded] = [await seen(query, org), await seen(query, org, 'recorded')];
        // Of the planted figures none is unusual, none is left beside the largest, and those in money have two currencies.
        if (!/ unless on |count\(\(?max by \((?:\w+,)*currency\)/.test(query.target.expr))
          expect(dates(0)).not.toEqual([]);
        for (const offset of OFFSETS) {
          expect(dates(offset), `UTC${offset}`).toEqual(dates(0));
          expect(recorded(offset), `recorded, UTC${offset}`).toEqual(dates(0));
        }
      }
    },
  );

  test.each(ofRanges)('adds up the UTC days that overlap the range: $where', async ({ target }) => {
    for (const [begin, last] of [[2, 6] as const, [6, 10] as const]) {
      const known = Array.from({ length: last - begin + 1 }, (_, index) => begin + index).filter(
        (day) => day !== MISSING,
      );
      const sums = ['a', 'b'].map((user, index) => ({
        user,
        value: expect.closeTo(sumOfPerson(known, index), 3),
      }));
      const [start, end] = [first + begin * DAY_S, first + last * DAY_S];
      // Grafana asks from midnight to midnight for whole days, and from the hour to the hour for a number of days.
      for (const [from, to] of [
        [start, end + DAY_S - 0.001] as const,
        [start + 5 * HOUR_S, end + 5 * HOUR_S] as const,
        [start + 23 * HOUR_S, end + 23 * HOUR_S] as const,
      ])
        for (const form of ['raw', 'recorded'] as const) {
          const answered = await prometheus.instant(during(chosen(target.expr, '', form), { from, to }), to);
          const found = answered.map(({ labels, values }) => ({
            user: labels['user'],
            value: values[0]?.[1],
          }));
          found.sort((one, other) => ((one.user ?? '') < (other.user ?? '') ? -1 : 1));
          expect(found, form).toEqual(sums);
        }
    }
  });

  test.each(Object.keys(PUBLISHED))('shows known days and no others: published %s', async (org) => {
    const where = 'credits.json “Credits by day” A';
    const query = panelQueries().find((one) => one.where === where);
    if (query === undefined) throw new Error(`no such query: ${where}`);
    const known = Array.from({ length: DAYS }, (_, day) => day).filter((day) => day !== MISSING);
    expect((await seen(query, org))(0)).toMatchObject(
      known.map((date) => ({ date, value: (date + 1) * 1000 + org.length / 100 })),
    );
  });

  test('beyond UTC+12 dates are a day early or late, as the documentation says', async () => {
    const query = panelQueries().find(({ where }) => where === 'credits.json “Credits by day” A');
    if (query === undefined) throw new Error('no such query');
    const dates = await seen(query, 'morning');
    expect(dates(13)).not.toEqual(dates(0));
    expect(dates(-12)).not.toEqual(dates(0));
  });
});
