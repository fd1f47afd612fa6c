import { expect } from 'vitest';
import { plantedSecrets } from '../../src/sandbox/index.ts';
import { DAY } from '../e2e/harness.ts';
import type { Page } from '../e2e/page.ts';
import { type Figure, figures, mainFields, usable } from './figures.ts';
import { isRow, rowsByDay, type Sent } from './wire.ts';

const DAY_DATASETS = ['tokens', 'tools', 'activity', 'productivity', 'users'] as const;
const COLLECTORS = [...DAY_DATASETS, 'readiness', 'wiki'] as const;
const DATA_DAY = 'agent_platform_data_day_timestamp_seconds';
const MAX_AGE = 7 * DAY;
const REASONS: Readonly<Record<number, string>> = {
  0: 'network',
  401: 'auth',
  403: 'role',
  429: 'throttled',
  500: 'server',
  503: 'server',
};

export interface Observed {
  readonly now: number;
  readonly page: Page;
  /** What the platform sent since the observation before. */
  readonly sent: readonly Sent[];
  /** Whether answers may have been spoilt in a way that their status does not show. */
  readonly spoilt: boolean;
  /** Which of the exporter's lives this is. */
  readonly life: number;
  readonly log: string;
}

/** Holds what is published to what was sent, by its own book of it. */
export interface Oracle {
  /** Checks a page after a poll, and throws where a promise is broken. */
  observe(observed: Observed): void;
  /** Checks that everything is as the platform says now. */
  observeCalm(observed: Observed, truth: Truth): void;
}

/** What the platform itself says of its newest day, by organization. */
export type Truth = ReadonlyMap<string, ReadonlyMap<Figure['dataset'], Readonly<Record<string, unknown>>>>;

/** Creates an oracle that has seen nothing yet. */
export function createOracle(orgs: readonly string[]): Oracle {
  /** By organization, figure and day: the values that were sent; undefined among them is one that cannot be used. */
  const given = new Map<string, Set<number | undefined>>();
  const pages = new Map<string, Set<number>>();
  /** By organization and dataset: the days for which a row was sent, and those of them with activity. */
  const rowDays = new Map<string, Set<number>>();
  const activeDays = new Map<string, Set<number>>();
  const lastWhole = new Map<string, number>();
  const lastSuccess = new Map<string, number>();
  const newestDays = new Map<string, number>();
  let requests = new Map<string, number>();
  let life = 0;

  function keep(sent: Sent, now: number): void {
    const who = key(sent.org, sent.collector);
    for (const code of sent.goesOn ? [] : ['all', String(sent.status)])
      requests.set(key(who, code), (requests.get(key(who, code)) ?? 0) + 1);
    if (sent.status !== 200 || sent.body === undefined) return;
    lastWhole.set(who, now);
    if (sent.collector === 'wiki') keepWiki(sent);
    if (sent.from === '' || sent.grouped) return;
    const rows = rowsByDay(sent.body);
    for (let day = Date.parse(sent.from); day <= Date.parse(sent.to); day += DAY) {
      const row = rows.get(dayText(day));
      if (row !== undefined) {
        add(rowDays, who, day);
        const main = mainFields[sent.collector as Figure['dataset']];
        if (main !== undefined && (usable(row[main]) ?? 0) > 0) add(activeDays, who, day);
      }
      for (const figure of figures) {
        if (figure.dataset !== sent.collector) continue;
        const value = row === undefined ? (figure.idleIsZero ? 0 : undefined) : figure.valueIn(row);
        add(given, valueKey(sent.org, figure, day), value);
      }
    }
  }

  function keepWiki({ org, body }: Sent): void {
    const lists = Array.isArray(body) ? [body] : Object.values(isRow(body) ? body : {}).filter(Array.isArray);
    for (const run of lists.flat().filter(isRow)) {
      const count = usable(run['pageCount']);
      if (count !== undefined) add(pages, org, count);
    }
  }

  /** No value is wrong for its day, and none is missing that was given. */
  function checkFigures(org: string, { page, now }: Observed): void {
    for (const figure of figures) {
      const what = `${org} ${figure.metric} ${JSON.stringify(figure.labels)}`;
      const day = newestDays.get(key(org, figure.dataset));
      const shown = page.value(figure.metric, { org, ...figure.labels });
      const age = now - (lastSuccess.get(key(org, figure.dataset)) ?? Number.NEGATIVE_INFINITY);
      const silence = now - (lastWhole.get(key(org, figure.dataset)) ?? Number.NEGATIVE_INFINITY);
      if (silence > MAX_AGE + DAY / 24) expect(shown, `${what} is too old to be shown`).toBeUndefined();
      if (day === undefined) {
        expect(shown, `${what} describes no day`).toBeUndefined();
        continue;
      }
      const values = given.get(valueKey(org, figure, day)) ?? new Set();
      const said = `${what} on ${dayText(day)}: the platform said ${[...values].join(' or ')}`;
      if (shown !== undefined) expect(values.has(shown), `${said}, not ${shown}`).toBe(true);
      else if (age <= MAX_AGE) expect(values.has(undefined) || values.size === 0, `${said}`).toBe(true);
    }
    for (const sample of page.find('agent_platform_wiki_pages', { org }))
      expect(pages.get(org)?.has(Number(sample.value)), `${org}: wiki pages ${sample.value}`).toBe(true);
  }

  /** A day without a row counts as one without activity only by the rules of late data. */
  function checkIdle(org: string, dataset: Figure['dataset'], now: number): void {
    const day = newestDays.get(key(org, dataset));
    const rows = rowDays.get(key(org, dataset)) ?? new Set();
    if (day === undefined || rows.has(day)) return;
    const what = `${org}: ${dataset} of ${dayText(day)} as a day without activity`;
    const others = Object.keys(mainFields).filter((other) => activeDays.get(key(org, other))?.has(day));
    expect(others, `${what}, behind its newest row`).toEqual([]);
    expect(now, `${what}, too soon`).toBeGreaterThanOrEqual(day + 4 * DAY);
  }

  /** The day described goes back from one without a row alone, is never unfinished, and never goes away. */
  function checkDays(org: string, { page, now }: Observed): void {
    for (const dataset of DAY_DATASETS) {
      const shown = page.value(DATA_DAY, { org, dataset });
      const before = newestDays.get(key(org, dataset));
      const what = `${org}: the day of ${dataset}`;
      if (before !== undefined) expect(shown, `${what} went away`).toBeDefined();
      if (shown === undefined) continue;
      // What was taken for a day without activity may turn out not to be known.
      const isFirm = before !== undefined && rowDays.get(key(org, dataset))?.has(before);
      if (isFirm) expect(shown * 1000, what).toBeGreaterThanOrEqual(before);
      expect(shown * 1000 + DAY, `${what} is not over yet`).toBeLessThanOrEqual(now);
      newestDays.set(key(org, dataset), shown * 1000);
    }
  }

  /** The flags, the reasons and the counters say what happened on the wire. */
  function checkTruth(org: string, { page, sent, spoilt, now }: Observed): void {
    const isThrottled = sent.some((one) => one.org === org && one.status === 429);
    for (const collector of COLLECTORS) {
      const mine = sent.filter((one) => one.org === org && one.collector === collector);
      const labels = { org, collector };
      const what = `${org} ${collector}, answered ${mine.map(({ status }) => status).join(' ')}`;
      const success = page.value('agent_platform_exporter_collector_success', labels);
      const failing = page.by('reason', 'agent_platform_exporter_collector_failing', labels);
      const reasons = Object.keys(failing).filter((reason) => failing[reason] === 1);
      // A long pause holds for the whole organization, also between two attempts or two pages of a listing.
      const isPaused = isThrottled && reasons[0] === 'throttled';
      expect([0, 1], what).toContain(success);
      expect(reasons, what).toHaveLength(success === 1 ? 0 : 1);
      if (success === 1) lastSuccess.set(key(org, collector), now);
      // A platform that is not yet done with yesterday says so with a 400, which is no failure.
      const good = mine.filter(
        ({ status, body, goesOn }) => (status === 200 && body !== undefined) || status === 400 || goesOn,
      );
      // Its endpoint may be paused alone, by a failure of the server that named a time.
      if (mine.length === 0)
        expect(['throttled', 'server'], `${what}: nothing was asked`).toContain(reasons[0]);
      else if (good.length === 0) expect(success, `${what}: ${reasons}`).toBe(0);
      else if (good.length === mine.length && !spoilt && !isPaused)
        expect(success, `${what}: ${reasons}`).toBe(1);
      const [status, another] = new Set(mine.map((one) => one.status));
      const reason = status === undefined || another !== undefined ? undefined : REASONS[status];
      if (reason !== undefined && !isPaused) expect(reasons, what).toEqual([reason]);
      checkCounters(org, collector, page);
    }
  }

  function checkCounters(org: string, collector: string, page: Page): void {
    const counted = page.by('code', 'agent_platform_exporter_api_requests_total', {
      org,
      endpoint: collector,
    });
    const asked = (code: string) => requests.get(key(key(org, collector), code)) ?? 0;
    const sum = Object.values(counted).reduce((total, count) => total + count, 0);
    expect(sum, `requests of ${org} to ${collector}: ${JSON.stringify(counted)}`).toBe(asked('all'));
    for (const code of ['401', '403', '429', '500', '503'])
      expect(counted[code] ?? 0, `answers ${code} of ${collector} to ${org}`).toBe(asked(code));
  }

  function observe(observed: Observed): void {
    if (observed.life !== life) {
      life = observed.life;
      requests = new Map();
    }
    for (const sent of observed.sent) keep(sent, observed.now);
    for (const org of orgs) {
      checkDays(org, observed);
      checkTruth(org, observed);
      checkFigures(org, observed);
      for (const dataset of Object.keys(mainFields) as Figure['dataset'][])
        checkIdle(org, dataset, observed.now);
    }
    checkPrivacy(observed);
  }

  return {
    observe,
    observeCalm(observed, truth) {
      observe(observed);
      const { page, now } = observed;
      for (const org of orgs) {
        for (const collector of COLLECTORS)
          expect(
            page.value('agent_platform_exporter_collector_success', { org, collector }),
            `${org} ${collector} works again`,
          ).toBe(1);
        // A day of which no dataset has a row may still be on its way: the day before stays.
        if (truth.get(org)?.size === 0) continue;
        for (const figure of figures) {
          const row = truth.get(org)?.get(figure.dataset);
          const expected = row === undefined ? (figure.idleIsZero ? 0 : undefined) : figure.valueIn(row);
          const shown = page.value(figure.metric, { org, ...figure.labels });
          expect(shown, `${org} ${figure.metric} ${JSON.stringify(figure.labels)} in calm weather`).toBe(
            expected,
          );
          expect(newestDays.get(key(org, figure.dataset)), `${org}: yesterday`).toBe(
            Math.floor(now / DAY) * DAY - DAY,
          );
        }
      }
    },
  };
}

function checkPrivacy({ page, log }: Observed): void {
  for (const secret of Object.values(plantedSecrets)) {
    expect(page.text.includes(secret), `the page holds ${secret}`).toBe(false);
    expect(log.includes(secret), `the log holds ${secret}`).toBe(false);
  }
}

function key(one: string, other: string): string {
  return `${one} ${other}`;
}

function valueKey(org: string, figure: Figure, day: number): string {
  return `${org} ${figure.metric}${JSON.stringify(figure.labels)} ${dayText(day)}`;
}

function dayText(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}

function add<Value>(sets: Map<string, Set<Value>>, name: string, value: Value): void {
  const set = sets.get(name) ?? new Set();
  sets.set(name, set.add(value));
}
