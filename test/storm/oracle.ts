import { expect } from 'vitest';
import { plantedSecrets } from '../../src/sandbox/index.ts';
import { DAY, HOUR } from '../e2e/harness.ts';
import type { Page } from '../e2e/page.ts';
import { createBook, type Dataset, dayText, key, valueKey } from './book.ts';
import { figures, mainFields } from './figures.ts';
import { isListingBroken, outcomeOfDays } from './outcome.ts';
import { isNotYet, orgIdOf, type Sent } from './wire.ts';

const DATASETS = Object.keys(mainFields) as Dataset[];
const DAY_DATASETS = [...DATASETS, 'users'] as const;
const COLLECTORS = [...DAY_DATASETS, 'readiness', 'wiki'] as const;
const DATA_DAY = 'agent_platform_data_day_timestamp_seconds';
const REVISIONS = 'agent_platform_exporter_day_revisions_total';
const REJECTED = 'agent_platform_exporter_records_rejected_total';
const API_REQUESTS = 'agent_platform_exporter_api_requests_total';
const UNCOVERED = 'agent_platform_history_uncovered';
const MAX_AGE = 7 * DAY;
/** The first day that the exporters of the storms request, and how many days they keep. */
const HISTORY_START = Date.UTC(2026, 10, 1);
const KEPT_DAYS = 40;
/** Pauses that end this close to a poll may or may not be over at its start. */
const CLOSE = HOUR / 30;
const REASONS: Readonly<Record<number, string>> = {
  0: 'network',
  400: 'server',
  401: 'auth',
  403: 'role',
  429: 'throttled',
  500: 'server',
  503: 'server',
};

interface Observed {
  readonly now: number;
  /** The start of the poll. */
  readonly began: number;
  readonly page: Page;
  /** What the platform has sent since the previous observation. */
  readonly sent: readonly Sent[];
  /** Whether answers may have been damaged in a way that their status does not show. */
  readonly spoilt: boolean;
  /** The number of the exporter's process. */
  readonly life: number;
  readonly log: string;
}

/** Checks what is published against what was sent, according to its own book. */
interface Oracle {
  /** Checks a page after a poll; throws if a promise is broken. */
  observe(observed: Observed): void;
  /** Checks that everything equals the platform's current data. */
  observeCalm(observed: Observed, truth: Truth): void;
}

/** The platform's own data of its newest day, by organization. */
export type Truth = ReadonlyMap<string, ReadonlyMap<Dataset, Readonly<Record<string, unknown>>>>;

/** Creates an oracle without observations; `orgIds` has the identifiers of all organizations. */
export function createOracle(orgIds: ReadonlyMap<string, string>): Oracle {
  const orgs = [...orgIds.keys()];
  const book = createBook(orgIds);
  const lastSuccess = new Map<string, number>();
  const newestDays = new Map<string, number>();
  const shownBefore = new Map<string, { readonly day: number; readonly value: number }>();
  /** Organizations whose key no analytics answer has confirmed since one was about another organization. */
  const unconfirmed = new Set<string>();
  /** Organizations of which an answer may have been discarded since the previous observation, whatever it held. */
  let doubtful: ReadonlySet<string> = new Set();
  let counted = new Map<string, number>();
  let requests = new Map<string, number>();
  let life = 0;

  function keep(sent: Sent): void {
    const who = key(sent.org, sent.collector);
    for (const code of sent.goesOn ? [] : ['all', String(sent.status)])
      requests.set(key(who, code), (requests.get(key(who, code)) ?? 0) + 1);
  }

  /** No value is wrong for its day, and none that was sent is missing. */
  function checkFigures(org: string, { page, now }: Observed): void {
    for (const figure of figures) {
      const { dataset } = figure;
      const what = `${org} ${figure.metric} ${JSON.stringify(figure.labels)}`;
      const day = newestDays.get(key(org, dataset));
      const shown = page.value(figure.metric, { org, ...figure.labels });
      const age = now - (lastSuccess.get(key(org, dataset)) ?? Number.NEGATIVE_INFINITY);
      const silence = now - (book.answeredAt(org, dataset) ?? Number.NEGATIVE_INFINITY);
      if (silence > MAX_AGE + HOUR) expect(shown, `${what} is too old to be shown`).toBeUndefined();
      if (day === undefined) {
        expect(shown, `${what} describes no day`).toBeUndefined();
        continue;
      }
      const values = book.given(org, figure, day);
      const said = `${what} on ${dayText(day)}: the platform said ${[...values].join(' or ')}`;
      const before = shownBefore.get(valueKey(org, figure, 0));
      const stays = before?.day === day ? before.value : undefined;
      if (shown !== undefined) {
        expect(values.has(shown), `${said}, not ${shown}`).toBe(true);
        const isNew = book.givenNow(org, figure, day).has(shown);
        if (stays !== undefined && !isNew) expect(shown, `${said}, and this not again`).toBe(stays);
        shownBefore.set(valueKey(org, figure, 0), { day, value: shown });
      } else if (age <= MAX_AGE) {
        expect(values.has(undefined) || values.size === 0, `${said}`).toBe(true);
        // A day published as idle may turn out to have an unusable row; values from a row remain.
        const wasGiven = stays !== undefined && stays !== 0;
        expect(wasGiven, `${said}, ${stays} was shown, and gave way to a worse answer`).toBe(false);
      }
    }
    const known = book.wikiPages(org);
    for (const sample of page.find('agent_platform_wiki_pages', { org }))
      expect(known.has(Number(sample.value)), `${org}: wiki pages ${sample.value}`).toBe(true);
  }

  /** A day without a row counts as one without activity only according to the rules about late data. */
  function checkIdle(org: string, dataset: Dataset, now: number): void {
    const day = newestDays.get(key(org, dataset));
    if (day === undefined || book.hasRow(org, dataset, day)) return;
    const what = `${org}: ${dataset} of ${dayText(day)} as a day without activity`;
    expect(book.hasRow(org, dataset), `${what}, of a dataset without any row`).toBe(true);
    const others = DATASETS.filter((other) => other !== dataset);
    const active = others.filter((other) => book.isActive(org, other, day));
    expect(active, `${what}, behind its newest row`).toEqual([]);
    const unanswered = others.filter((other) => !book.isAnswered(org, other, day));
    expect(unanswered, `${what}, of which others do not know`).toEqual([]);
    expect(now, `${what}, too soon`).toBeGreaterThanOrEqual(day + 4 * DAY);
  }

  /** The described day goes back only from a day without a row, is never unfinished, and never disappears. */
  function checkDays(org: string, { page, now }: Observed): void {
    for (const dataset of DAY_DATASETS) {
      const shown = page.value(DATA_DAY, { org, dataset });
      const before = newestDays.get(key(org, dataset));
      const what = `${org}: the day of ${dataset}`;
      if (before !== undefined) expect(shown, `${what} went away`).toBeDefined();
      if (shown === undefined) continue;
      // A day published as one without activity may turn out to be unknown.
      const isFirm = before !== undefined && book.hasRow(org, dataset, before);
      if (isFirm) expect(shown * 1000, what).toBeGreaterThanOrEqual(before);
      expect(shown * 1000 + DAY, `${what} is not over yet`).toBeLessThanOrEqual(now);
      newestDays.set(key(org, dataset), shown * 1000);
    }
  }

  /** Days that were never answered are reported as missing. */
  function checkUncovered(org: string, dataset: Dataset, { page, now }: Observed): void {
    const newest = newestDays.get(key(org, dataset));
    if (newest === undefined) return;
    let missing = 0;
    const kept = Math.floor(now / DAY) * DAY - (KEPT_DAYS - 2) * DAY;
    for (let day = Math.max(HISTORY_START, kept); day <= newest; day += DAY)
      missing += book.isAnswered(org, dataset, day) ? 0 : 1;
    const said = page.value(UNCOVERED, { org, dataset });
    expect(said, `${org}: days of ${dataset} not covered`).toBeGreaterThanOrEqual(missing);
  }

  function keepDoubts(sent: readonly Sent[]): void {
    doubtful = new Set([...unconfirmed, ...sent.filter(book.isForeign).map(({ org }) => org)]);
    for (const one of sent.filter(({ body }) => orgIdOf(body) !== undefined)) {
      if (book.isForeign(one)) unconfirmed.add(one.org);
      else unconfirmed.delete(one.org);
    }
  }

  /** The flags, reasons and counters match what happened on the wire. */
  function checkTruth(org: string, { page, sent, spoilt, now, began }: Observed): void {
    const isThrottled = sent.some((one) => one.org === org && one.status === 429);
    for (const collector of COLLECTORS) {
      const mine = sent.filter((one) => one.org === org && one.collector === collector);
      const labels = { org, collector };
      const what = `${org} ${collector}, answered ${mine.map(({ status }) => status).join(' ')}`;
      const success = page.value('agent_platform_exporter_collector_success', labels);
      const failing = page.by('reason', 'agent_platform_exporter_collector_failing', labels);
      const reasons = Object.keys(failing).filter((reason) => failing[reason] === 1);
      // A long pause applies to the whole organization, even between two attempts or two pages of a listing.
      const isPaused = isThrottled && reasons[0] === 'throttled';
      expect([0, 1], what).toContain(success);
      expect(reasons, what).toHaveLength(success === 1 ? 0 : 1);
      if (success === 1) lastSuccess.set(key(org, collector), now);
      checkCounters(org, collector, page);
      if (collector === 'users' && success === 1)
        expect(isListingBroken(mine), `${what}: a listing that did not come whole is none`).toBe(false);
      if (mine.length === 0) {
        expect(pausesOf(org, collector, began, isThrottled), `${what}: nothing was asked`).toContain(
          reasons[0],
        );
        continue;
      }
      if (mine.every((one) => one.status === 200 && book.isForeign(one))) {
        if (!isPaused) expect(reasons, `${what} by another organization`).toEqual(['organization']);
        continue;
      }
      // Requests on behalf of other collectors, to confirm an identifier, do not affect a collector's own run.
      if (doubtful.has(org)) continue;
      // A platform that has not finished yesterday says so with a 400, which is not a failure.
      const good = mine.filter(
        (one) => (one.status === 200 && one.body !== undefined) || isNotYet(one) || one.goesOn,
      );
      const outcome = outcomeOfDays(collector, mine);
      if (good.length === 0) expect(success, `${what}: ${reasons}`).toBe(0);
      else if (!spoilt && !isPaused && (good.length === mine.length || outcome === 'success'))
        expect(success, `${what}: ${reasons}`).toBe(1);
      else if (!spoilt && !isPaused && outcome === 'failure')
        expect(reasons, `${what}, the newest day among the failures`).toEqual(['server']);
      const [status, another] = new Set(mine.map((one) => one.status));
      const reason = status === undefined || another !== undefined ? undefined : REASONS[status];
      if (reason !== undefined && !isPaused && !mine.some(isNotYet)) expect(reasons, what).toEqual([reason]);
    }
  }

  /** The reasons for which a run may not have sent any request. */
  function pausesOf(org: string, collector: string, began: number, isThrottled: boolean): readonly string[] {
    const ofOrg = book.pausedUntil(org) - began;
    const ofEndpoint = book.pausedUntil(org, collector) - began;
    if (ofOrg > CLOSE && !isThrottled) return ['throttled'];
    return [
      ...(isThrottled || ofOrg > -CLOSE ? ['throttled'] : []),
      ...(ofEndpoint > -CLOSE ? ['server'] : []),
    ];
  }

  function checkCounters(org: string, collector: string, page: Page): void {
    const byCode = page.by('code', API_REQUESTS, {
      org,
      endpoint: collector,
    });
    const asked = (code: string) => requests.get(key(key(org, collector), code)) ?? 0;
    const sum = Object.values(byCode).reduce((total, count) => total + count, 0);
    expect(sum, `requests of ${org} to ${collector}: ${JSON.stringify(byCode)}`).toBe(asked('all'));
    for (const code of ['401', '403', '429', '500', '503'])
      expect(byCode[code] ?? 0, `answers ${code} of ${collector} to ${org}`).toBe(asked(code));
  }

  /** How much a count has grown since it was last looked at. */
  function grownSince(name: string, value: number): number {
    const before = counted.get(name) ?? 0;
    counted.set(name, value);
    return value - before;
  }

  /** How many more requests for a dataset the exporter has counted as answered well. */
  function grownRequests(org: string, dataset: Dataset, page: Page): number {
    const byCode = page.by('code', API_REQUESTS, { org, endpoint: dataset });
    return grownSince(key(API_REQUESTS, key(org, dataset)), byCode['200'] ?? 0);
  }

  /** Rejected data is counted, and is not a revision. */
  function checkAccounts(org: string, dataset: Dataset, { page, sent }: Observed): void {
    const mine = sent.filter((one) => one.org === org && one.collector === dataset);
    const grown = (metric: string) =>
      grownSince(key(metric, key(org, dataset)), page.value(metric, { org, dataset }) ?? 0);
    const revisions = grown(REVISIONS);
    expect(revisions, `${org}: revised days of ${dataset}`).toBeLessThanOrEqual(book.revisions(org, dataset));
    const rejected = grown(REJECTED);
    // An answer that was sent whole may still have come after the exporter's time limit.
    const isReceived = grownRequests(org, dataset, page) === mine.length;
    const isWhole = mine.every((one) => one.status === 200 && one.body !== undefined && !book.isForeign(one));
    if (isReceived && isWhole && !doubtful.has(org) && book.hasRejected(org, dataset))
      expect(rejected, `${org}: rejected figures of ${dataset}`).toBeGreaterThan(0);
  }

  function observe(observed: Observed): void {
    if (observed.life !== life) {
      life = observed.life;
      requests = new Map();
      counted = new Map();
      book.beginLife();
    }
    for (const sent of observed.sent) keep(sent);
    book.add(observed.sent);
    keepDoubts(observed.sent);
    for (const org of orgs) {
      checkDays(org, observed);
      checkTruth(org, observed);
      checkFigures(org, observed);
      for (const dataset of DATASETS) {
        checkIdle(org, dataset, observed.now);
        checkUncovered(org, dataset, observed);
        checkAccounts(org, dataset, observed);
      }
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
        // A day without a row in any dataset may still be late: the previous day remains.
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
