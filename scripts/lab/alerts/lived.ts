import { addDays, startOf } from '../../../src/catalog/day.ts';
import type { OrgSettings } from '../../../src/catalog/settings.ts';
import type { Source } from '../../../src/catalog/source.ts';
import { activityCollector } from '../../../src/collectors/activity/collector.ts';
import { readinessCollector } from '../../../src/collectors/readiness/collector.ts';
import { spendCollector } from '../../../src/collectors/spend/collector.ts';
import { tokensCollector } from '../../../src/collectors/tokens/collector.ts';
import { usersCollector } from '../../../src/collectors/users/collector.ts';
import { ownMetrics } from '../../../src/exposition/own-metrics.ts';
import { PlatformError } from '../../../src/text/errors.ts';
import { DAYS, dayAt, HOUR, WARM_UP } from '../../../test/collectors/spend/backtest/world.ts';
import { dayNamed } from '../../../test/support/day.ts';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createPipeline, type Shown } from '../../../test/support/pipeline.ts';
import { createMemoryStore } from '../../../test/support/store.ts';
import type { PlantedYear } from './planted.ts';
import { type Recording, STEP_S } from './recording.ts';

const DAY = 24 * HOUR;
const POLL_EVERY = HOUR;
/** After the hour, as by default. */
const POLL_AT = HOUR / 3;
const collectors = [tokensCollector, spendCollector, activityCollector, usersCollector, readinessCollector];
const fetching = ['tokens', 'activity', 'users', 'readiness'] as const;

/** Older reports are no longer listed. */
const LISTED = 84 * DAY;

/** Where a year begins and ends, in milliseconds. */
export const YEAR = { from: startOf(dayAt(WARM_UP)), until: startOf(dayAt(DAYS)) };

/** Runs the product's own pipeline over a year, and records every hour what Prometheus would scrape. */
export async function liveThrough(year: PlantedYear, recording: Recording): Promise<void> {
  const clock = createFakeClock(YEAR.from - 2 * POLL_EVERY + POLL_AT);
  const settings: OrgSettings = {
    name: year.name,
    readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: false },
    contract: { creditsPerMonth: year.budget, prices: [] },
    people: year.teams.settings,
  };
  let page: Shown = new Map();
  const requests = new Map<string, number>([['200', 0]]);
  const source = createPlatform(year, clock, (code) => requests.set(code, (requests.get(code) ?? 0) + 1));
  const { poll, runs } = createPipeline({
    ...{ collectors, settings, source, clock },
    history: createMemoryStore(),
    historyStart: dayAt(0),
    onPage(next) {
      page = next;
    },
  });

  function succeed(collector: string, at: number): void {
    runs.update(year.name, collector, { lastSuccessAt: at });
    requests.set('200', (requests.get('200') ?? 0) + 1);
  }

  function scrape(at: number): void {
    const put = (name: string, labels: Readonly<Record<string, string>>, value: number) =>
      recording.put(at, name, { instance: year.name, ...labels }, value);
    for (const [family, samples] of page) {
      for (const { labels, value } of samples)
        put(`agent_platform_${family}`, { org: year.name, ...labels }, value);
    }
    for (const { name, labels, value } of ownSamples()) put(name, labels, value);
  }

  function* ownSamples() {
    const org = year.name;
    yield { name: ownMetrics.buildInfo.name, labels: {}, value: 1 };
    yield { name: ownMetrics.historyPersistent.name, labels: {}, value: 1 };
    yield { name: ownMetrics.configReloadSuccessful.name, labels: {}, value: 1 };
    yield { name: ownMetrics.configOrg.name, labels: { org }, value: YEAR.from / 1000 };
    for (const [code, value] of requests)
      yield { name: ownMetrics.apiRequests.name, labels: { org, endpoint: 'all', code }, value };
    for (const collector of fetching) {
      const { failure, lastSuccessAt, tried } = runs.get(org, collector);
      if (!tried) continue;
      const labels = { org, collector };
      yield { name: ownMetrics.collectorSuccess.name, labels, value: failure === undefined ? 1 : 0 };
      if (lastSuccessAt !== undefined)
        yield { name: ownMetrics.collectorLastSuccess.name, labels, value: lastSuccessAt / 1000 };
      for (const reason of ['auth', 'throttled', 'server'])
        yield {
          name: ownMetrics.collectorFailing.name,
          labels: { ...labels, reason },
          value: failure?.error.reason === reason ? 1 : 0,
        };
    }
  }

  /** Whether a poll would find something new; others cost most of the time and change nothing. */
  function findsNews(names: readonly string[], times: readonly number[], at: number): boolean {
    const isSettling = names.includes('tokens') && (at - POLL_AT) % DAY === 0 && year.lacksRows(at);
    const isNew = times.some((time) => time > at - POLL_EVERY && time <= at);
    return isSettling || isNew || [at, at - POLL_EVERY].some((time) => year.failureAt(time) !== undefined);
  }

  const start = YEAR.from - POLL_EVERY;
  for (let at = start; at < YEAR.until; at += POLL_EVERY) {
    const failure = year.failureAt(at);
    const isStep = at >= YEAR.from && (at - YEAR.from) % (1000 * STEP_S) === 0;
    if (isStep && failure !== 'down' && failure !== 'scrape') scrape(at);
    clock.set(at + POLL_AT);
    if (failure === 'down') continue;
    for (const [names, times] of [
      [['tokens', 'activity', 'users'], year.changes.rows],
      [['readiness'], year.changes.reports],
    ] as const) {
      if (at === start || findsNews(names, times, at + POLL_AT)) await poll(names);
      else for (const name of names) succeed(name, at + POLL_AT);
    }
  }
}

function createPlatform(
  year: PlantedYear,
  clock: { now(): number },
  onRequest: (code: string) => void,
): Source {
  function answer(): void {
    const failure = year.failureAt(clock.now());
    const codes = { auth: 401, throttled: 429, server: 500 } as const;
    const code = failure === undefined || failure === 'scrape' || failure === 'down' ? 200 : codes[failure];
    onRequest(String(code));
    if (failure === 'auth' || failure === 'throttled' || failure === 'server')
      throw new PlatformError(failure, String(code), { status: code });
  }
  return {
    async get({ endpoint, query }) {
      answer();
      const now = clock.now();
      const data: object[] = [];
      const last = query['endDate'] ?? '';
      for (let day = dayNamed(query['startDate'] ?? ''); day <= last; day = addDays(day, 1)) {
        const row = year.rowAt(endpoint === 'activity' ? 'activity' : 'tokens', day, now);
        if (row !== undefined) data.push(row);
      }
      return { body: { data, meta: { org_id: `id-of-${year.name}` } }, bytes: 50 + 200 * data.length };
    },
    async pages(request, onItems) {
      answer();
      const now = clock.now();
      if (request.endpoint === 'users') {
        const day = dayNamed(request.query?.['startDate'] ?? '');
        const data = year.peopleAt(day, now);
        onItems(request.read({ data, meta: { org_id: `id-of-${year.name}` } }).items);
        return { end: 'empty', complete: true, pages: 1, bytes: 100 * data.length };
      }
      const reports = year.reports.filter(({ at }) => at <= now && at > now - LISTED).map(({ body }) => body);
      onItems(request.read({ reports }).items);
      return { end: 'empty', complete: true, pages: 1, bytes: 100 * reports.length };
    },
    lines: () => Promise.reject(new Error('not used')),
    inSlices: async (work) => {
      for (;;) {
        const step = work.next();
        if (step.done === true) return step.value;
      }
    },
  };
}
