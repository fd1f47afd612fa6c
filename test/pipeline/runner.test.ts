import { describe, expect, test } from 'vitest';
import type { DocumentCollector, DocumentReader, Window } from '../../src/catalog/collector.ts';
import type { DocumentDataset } from '../../src/catalog/dataset.ts';
import { addDays, type Day, startOf } from '../../src/catalog/day.ts';
import type { Source } from '../../src/catalog/source.ts';
import { Instruments } from '../../src/exposition/instruments.ts';
import { daysDescending } from '../../src/pipeline/days-to-fetch.ts';
import type { RunnerParts, RunPublisher } from '../../src/pipeline/run.ts';
import { createRunStates } from '../../src/pipeline/run-states.ts';
import { Runner } from '../../src/pipeline/runner.ts';
import { NotStored } from '../../src/store/database.ts';
import { PlatformError } from '../../src/text/errors.ts';
import { inSlices } from '../collectors/fakes.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { platformReading } from '../support/readers.ts';
import { createMemoryStore } from '../support/store.ts';
import { creditsCollector as collector } from './credits-collector.ts';

const start = dayNamed('2026-03-01');
const yesterday = dayNamed('2026-03-31');
const org = {
  name: 'acme',
  readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: true },
} as const;
const source: Source = {
  get: () => Promise.reject(new Error('not used')),
  pages: () => Promise.reject(new Error('not used')),
  lines: () => Promise.reject(new Error('not used')),
  inSlices: () => Promise.reject(new Error('not used')),
};

/** More requests than any run here has. */
const MAX_ASKED = 500;

function brokenStore(): NotStored {
  const details = { reason: 'full', detail: 'the disk is full', hint: 'free some space' };
  return new NotStored('cannot be stored', details);
}

type Answer = (
  window: Window,
  call: number,
  source: Source,
) => { rows?: readonly Day[]; lost?: number; credits?: number; unready?: ReadonlySet<Day> } | PlatformError;

function harness(answer: Answer, from = source, parts: Partial<RunnerParts> = {}) {
  const clock = createFakeClock(startOf(addDays(yesterday, 1)) + 3_600_000, { autoAdvance: true });
  const history = createMemoryStore();
  const log = createFakeLogger();
  const runs = createRunStates();
  const asked: string[] = [];
  let published = 0;
  const shownAsIdle = new Set<Day>();
  const publisher: RunPublisher = {
    showsIdle: (_org, _collector, day) => shownAsIdle.has(day),
    publish: async () => {
      published += 1;
    },
  };
  const stopping = new AbortController();
  const platform = platformReading({
    async fetchDays(asSeen, window) {
      asked.push(`${window.from}..${window.to}`);
      // A run that does not end fails its test instead of hanging.
      if (asked.length > MAX_ASKED) stopping.abort();
      const given = answer(window, asked.length, asSeen);
      if (given instanceof PlatformError) throw given;
      const days = given.rows ?? daysDescending(window.from, window.to);
      return {
        rows: new Map(days.map((day) => [day, { credits: given.credits ?? 1 }])),
        lost: given.lost ?? 0,
        unready: given.unready ?? new Set(),
        rejected: given.lost ?? 0,
        bytes: 100 * days.length,
        remarks: [],
      };
    },
  });
  const instruments = new Instruments({ version: '', revision: '', clock, processMetrics: false });
  const runner = new Runner({
    history,
    historyStart: start,
    revisionDays: 7,
    publisher,
    stopping: stopping.signal,
    runs,
    instruments,
    clock,
    log,
    ...parts,
  });
  return {
    clock,
    history,
    log,
    runs,
    asked,
    published: () => published,
    shownAsIdle,
    instruments,
    run: (mode: 'scheduled' | 'thorough' = 'scheduled', retired?: AbortSignal) =>
      runner.run({ org, platform, source: from, ...(retired && { retired }) }, collector, mode),
    runner,
    platform,
    stopping,
    covered: async () => [...(await history.read('acme')).days('tokens').keys()].sort(),
  };
}

describe('a run over days', () => {
  test('requests yesterday alone first, then increasingly large windows back to the start of history', async () => {
    const { run, asked, published, covered } = harness(() => ({}));
    await run();
    expect(asked).toEqual(['2026-03-31..2026-03-31', '2026-03-23..2026-03-30', '2026-03-01..2026-03-22']);
    expect(published()).toBe(2);
    expect(await covered()).toEqual(daysDescending(start, yesterday).reverse());
  });

  test('requests only yesterday once everything is known, and the revision window once a day', async () => {
    const { run, asked, clock } = harness(() => ({}));
    await run();
    asked.length = 0;
    await run();
    expect(asked).toEqual(['2026-03-31..2026-03-31']);
    asked.length = 0;
    clock.set(clock.now() + 86_400_000);
    await run();
    expect(asked).toEqual(['2026-04-01..2026-04-01', '2026-03-26..2026-03-31']);
    asked.length = 0;
    await run('thorough');
    expect(asked).toEqual(['2026-04-01..2026-04-01', '2026-03-26..2026-03-31']);
  });

  test('stores each answer, and what is complete with the last one, at once; a pass repeated on a day changes nothing', async () => {
    const { run, history, clock, runs } = harness(() => ({}));
    const writes: string[] = [];
    for (const name of ['putDays', 'putRevisedOn', 'putSucceeded'] as const) {
      const put = history[name].bind(history) as (...given: unknown[]) => Promise<never>;
      history[name] = (...given: unknown[]) => {
        writes.push(name);
        return put(...given);
      };
    }
    await run();
    expect(writes).toEqual(['putDays', 'putDays', 'putDays']);
    const first = (await history.standing('acme')).dataset('tokens');
    expect(first).toMatchObject({
      revisedOn: '2026-04-01',
      succeededAt: runs.get('acme', 'tokens').lastSuccessAt,
    });
    clock.set(clock.now() + 3_600_000);
    await run();
    await run('thorough');
    expect(writes.slice(3)).toEqual(['putDays', 'putDays', 'putDays']);
    const { revision, answeredAt = 0, succeededAt = 0 } = (await history.standing('acme')).dataset('tokens');
    expect(revision).toBe(first.revision);
    expect(Math.min(answeredAt, succeededAt)).toBeGreaterThanOrEqual(clock.now());
  });

  test('requests one day less if the platform says that the newest is today', async () => {
    const { run, asked, runs, covered, log } = harness((window) =>
      window.to === yesterday
        ? new PlatformError('server', "answered 400: Cannot query today's date", {
            status: 400,
            isNotYet: true,
          })
        : {},
    );
    await run();
    expect(asked.slice(1)).toEqual([
      ...['2026-03-30..2026-03-30', '2026-03-22..2026-03-29', '2026-03-01..2026-03-21'],
    ]);
    expect(runs.get('acme', 'tokens').failure).toBeUndefined();
    expect(log.events.map(({ level, fields }) => [level, fields])).toEqual([
      ['info', { org: 'acme', collector: 'tokens', newest: addDays(yesterday, -1) }],
    ]);
    expect(await covered()).not.toContain(yesterday);
  });

  test('gives up on a clock that is days ahead', async () => {
    const { run, asked, runs } = harness(
      () =>
        new PlatformError('server', "answered 400: Cannot query today's date", {
          status: 400,
          isNotYet: true,
        }),
    );
    await run();
    expect(runs.get('acme', 'tokens').failure?.error.reason).toBe('server');
    expect(asked.length).toBeLessThan(7);
  });

  test('halves a window whose answer is too large', async () => {
    const { run, asked, runs, covered } = harness((window) =>
      window.from === window.to || daysDescending(window.from, window.to).length <= 4
        ? {}
        : new PlatformError('limit', 'too large', { tooLarge: true }),
    );
    await run();
    expect(asked.slice(0, 3)).toEqual([
      '2026-03-31..2026-03-31',
      '2026-03-23..2026-03-30',
      '2026-03-27..2026-03-30',
    ]);
    expect(runs.get('acme', 'tokens').failure).toBeUndefined();
    expect(await covered()).toHaveLength(31);
  });

  test('a bad day costs itself alone: it is logged once, and the run counts as a success', async () => {
    const bad = dayNamed('2026-03-20');
    const { run, runs, log, asked, covered } = harness(({ from, to }) =>
      from <= bad && bad <= to ? new PlatformError('server', '500') : {},
    );
    await run();
    expect(runs.get('acme', 'tokens').failure).toBeUndefined();
    expect(await covered()).toEqual(
      daysDescending(start, yesterday)
        .reverse()
        .filter((day) => day !== bad),
    );
    asked.length = 0;
    await run();
    expect(asked).toEqual(['2026-03-31..2026-03-31']);
    await run('thorough');
    expect(asked).toContain('2026-03-20..2026-03-20');
    const told = log.events.filter(({ level }) => level === 'warn');
    expect(told.map(({ message, fields }) => [message, fields])).toEqual([
      [
        'Days set aside because they fail by themselves',
        { org: 'acme', dataset: 'tokens', days: bad, error: '500' },
      ],
    ]);
  });

  test('a run whose last request is for a bad day is complete all the same; bad days are named in order', async () => {
    const bad = [addDays(start, 2), start];
    const { run, history, log } = harness(({ from, to }) =>
      bad.some((day) => from <= day && day <= to) ? new PlatformError('server', '500') : {},
    );
    await run();
    const { succeededAt, revisedOn } = (await history.standing('acme')).dataset('tokens');
    expect([succeededAt !== undefined, revisedOn]).toEqual([true, '2026-04-01']);
    expect(log.events.filter(({ level }) => level === 'warn')).toMatchObject([
      { fields: { days: '2026-03-01 2026-03-03', error: '500' } },
    ]);
  });

  test('a request that the end of the run aborts says nothing about its day', async () => {
    const retired = new AbortController();
    const last = dayNamed('2026-03-20');
    const { run, log, asked, history, covered } = harness(({ to }, call) => {
      if (to !== last || call > 2) return {};
      retired.abort();
      return new PlatformError('network', 'the client was closed');
    });
    const days = daysDescending(start, yesterday).filter((day) => day !== last);
    const rows = new Map(days.map((day) => [day, { credits: 1 }]));
    await history.putDays('acme', 'tokens', { days, rows, orgId: undefined, at: 0 });
    await history.putRevisedOn('acme', 'tokens', addDays(yesterday, 1));
    await run('scheduled', retired.signal);
    expect(asked).toEqual(['2026-03-31..2026-03-31', '2026-03-20..2026-03-20']);
    await run();
    expect(await covered()).toContain(last);
    expect(log.events.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test('an answer that arrives after the run was abandoned is neither stored nor counted', async () => {
    const retired = new AbortController();
    const { run, runs, covered, history, instruments } = harness(() => {
      retired.abort();
      return { lost: 1 };
    });
    expect(await run('scheduled', retired.signal)).toBe('aborted');
    expect(await covered()).toEqual([]);
    expect((await history.standing('acme')).dataset('tokens').succeededAt).toBeUndefined();
    expect(runs.get('acme', 'tokens')).toMatchObject({ tried: false, lastRunAt: undefined });
    expect([...instruments.textsOfOrgs('text')].join('')).not.toContain('acme');
  });

  test('a part of a window that failed is asked for without retries of its own, a window with them', async () => {
    const retried: string[] = [];
    const platform: Source = {
      get: async ({ path, retryOn = 'all' }) => {
        retried.push(`${path} ${retryOn}`);
        return { body: null, bytes: 0 };
      },
      pages: async ({ path, retryOn = 'all' }) => {
        retried.push(`${path} ${retryOn}`);
        return { end: 'last', complete: true, pages: 0, bytes: 0 };
      },
      lines: () => Promise.reject(new Error('not used')),
      inSlices,
    };
    const request = { endpoint: 'tokens', host: 'api', query: {} } as const;
    const { run } = harness(({ from, to }, _call, asSeen) => {
      void asSeen.get({ ...request, path: `get ${from}` });
      const paging = { cursorParameter: '', read: () => ({ items: [], next: undefined }), idOf: () => '' };
      void asSeen.pages({ ...request, ...paging, path: `pages ${from}` }, () => undefined);
      return daysDescending(from, to).length > 15 ? new PlatformError('server', '500') : {};
    }, platform);
    await run();
    expect(retried).toEqual([
      ...['get 2026-03-31 all', 'pages 2026-03-31 all', 'get 2026-03-23 all', 'pages 2026-03-23 all'],
      ...['get 2026-03-01 all', 'pages 2026-03-01 all'],
      ...['get 2026-03-12 throttled', 'pages 2026-03-12 throttled'],
      ...['get 2026-03-01 throttled', 'pages 2026-03-01 throttled'],
    ]);
  });

  test('a changed figure of a known day is a revision, which is logged with both and counted', async () => {
    let credits = 1;
    const { run, log, instruments } = harness(() => ({ credits }));
    await run();
    credits = 2;
    await run();
    const revised = log.events.filter(({ message }) => message.includes('Known days revised'));
    expect(revised.map(({ fields }) => fields)).toMatchObject([
      { org: 'acme', dataset: 'tokens', days: yesterday },
    ]);
    expect([...instruments.textsOfOrgs('text')].join('')).toContain(
      'agent_platform_exporter_day_revisions_total{org="acme",dataset="tokens"} 1',
    );
  });

  test('a run over many unknown days shows its progress, by the days that were unknown, and ends it', async () => {
    const shown: unknown[] = [];
    const progress = {
      begin(work: object) {
        shown.push(work);
        return { advance: (days: number) => shown.push(days), end: () => shown.push('end') };
      },
    };
    const bad = dayNamed('2026-03-20');
    const { run, clock, history } = harness(
      ({ from, to }) => (from <= bad && bad <= to ? new PlatformError('server', '500') : {}),
      source,
      { progress, historyStart: addDays(start, -9) },
    );
    const known = [yesterday, addDays(yesterday, -1)];
    const rows = new Map(known.map((day) => [day, { credits: 1 }]));
    await history.putDays('acme', 'tokens', { days: known, rows, orgId: undefined, at: 0 });
    await run();
    expect(shown.slice(0, 3)).toEqual([{ org: 'acme', dataset: 'tokens', total: 38 }, 0, 7]);
    const advanced = shown.filter((each) => typeof each === 'number');
    expect(advanced.reduce((sum, days) => sum + days, 0)).toBe(37);
    expect(shown.at(-1)).toBe('end');
    shown.length = 0;
    clock.set(clock.now() + 86_400_000);
    await run();
    expect(shown).toEqual([]);
  });

  test('other work runs between the requests of a run; its newest day is urgent', async () => {
    const turns: string[] = [];
    const parts = harness(
      ({ to }) =>
        to === yesterday
          ? new PlatformError('server', "answered 400: Cannot query today's date", {
              status: 400,
              isNotYet: true,
            })
          : {},
      source,
      {
        turns: {
          async take(name, urgency) {
            turns.push(`${name} ${urgency}`);
            if (turns.length === 7) parts.stopping.abort();
            return { end: () => void turns.push('end') };
          },
        },
      },
    );
    await parts.run();
    expect(turns).toEqual([
      'acme urgent',
      'end',
      'acme urgent',
      'end',
      'acme other',
      'end',
      'acme other',
      'end',
    ]);
    // It was stopped while it waited for its last turn.
    expect(parts.asked).toHaveLength(3);
  });

  test('no day is said to fail by itself where the platform answers nothing', async () => {
    const { run, log } = harness(() => new PlatformError('server', '500'));
    await run();
    const warnings = log.events.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ message }) => message)).toEqual(['Collector failing; it has no data yet']);
  });

  test('the newest data counts as tried as soon as it was answered or refused, before the run has ended', async () => {
    const tried: boolean[] = [];
    const { run, runs } = harness(({ to }) => {
      expect(runs.get('acme', 'tokens').running).toBe(true);
      tried.push(runs.get('acme', 'tokens').tried);
      return to === yesterday ? new PlatformError('server', '500') : {};
    });
    await run();
    expect(tried.slice(0, 2)).toEqual([false, true]);
    expect(runs.get('acme', 'tokens')).toMatchObject({ tried: true, running: false });
  });

  test('a run that was abandoned or stopped before it began asks nothing', async () => {
    const { run, asked, runs, stopping } = harness(() => ({}));
    const retired = new AbortController();
    retired.abort();
    expect(await run('scheduled', retired.signal)).toBe('aborted');
    stopping.abort();
    expect(await run()).toBe('aborted');
    expect(asked).toEqual([]);
    expect(runs.get('acme', 'tokens').running).toBe(false);
  });

  test('a bad newest day fails the run, and everything else is fetched', async () => {
    const { run, runs, covered } = harness(({ to }) =>
      to === yesterday ? new PlatformError('server', '500') : {},
    );
    await run();
    expect(runs.get('acme', 'tokens').failure?.error.message).toBe('500');
    expect(await covered()).toEqual(daysDescending(start, addDays(yesterday, -1)).reverse());
  });

  test('a day without a row that cannot be asked for again does not count as asked for again', async () => {
    const silent = addDays(yesterday, -3);
    let isBad = false;
    const { run, clock, history } = harness(({ from, to }) =>
      isBad && from <= silent && silent <= to
        ? new PlatformError('server', '500')
        : { rows: daysDescending(from, to).filter((day) => day !== silent) },
    );
    await run();
    const passOf = async () => (await history.standing('acme')).dataset('tokens').revisedOn;
    expect(await passOf()).toBe('2026-04-01');
    isBad = true;
    clock.set(clock.now() + 86_400_000);
    await run();
    expect(await passOf()).toBe('2026-04-01');
    isBad = false;
    await run('thorough');
    expect(await passOf()).toBe('2026-04-02');
  });

  test('what the platform reports otherwise than the settings is logged once', async () => {
    const { runner, platform, log } = harness(() => ({}));
    const contradictionIn = () => '80 seats are configured, the platform reports 90';
    const contradicting = { ...collector, dataset: { ...collector.dataset, contradictionIn } };
    for (let run = 0; run < 2; run++) await runner.run({ org, platform, source }, contradicting, 'thorough');
    const told = log.events.filter(({ message }) => message.startsWith('Configuration differs'));
    expect(told.map(({ level, fields }) => [level, fields])).toEqual([
      ['warn', { org: 'acme', dataset: 'tokens', detail: contradictionIn() }],
    ]);
  });

  test('a refused key ends the run at once', async () => {
    const { run, asked, runs } = harness(() => new PlatformError('auth', '401'));
    await run();
    expect(asked).toHaveLength(1);
    expect(runs.get('acme', 'tokens')).toMatchObject({ tried: true, running: false });
  });

  test('a day whose row was lost is not known to have had none', async () => {
    const { run, covered, log, instruments } = harness((window) =>
      window.to === yesterday ? { rows: [], lost: 1 } : {},
    );
    await run();
    expect(await covered()).not.toContain(yesterday);
    expect(await covered()).toHaveLength(30);
    await run();
    const told = log.events.filter(({ message }) => message.includes('partly usable'));
    expect(told.map(({ level, fields }) => [level, fields])).toEqual([
      ['warn', { org: 'acme', dataset: 'tokens', detail: '1 unusable records or fields were rejected' }],
    ]);
    expect([...instruments.textsOfOrgs('text')].join('')).toContain(
      'agent_platform_exporter_records_rejected_total{org="acme",dataset="tokens"} 2',
    );
  });

  test('a row for a day that was shown as idle is a revision, but one for an unknown day is not', async () => {
    const late = [yesterday, addDays(yesterday, -1)];
    let areThere = false;
    const { run, log, shownAsIdle } = harness(({ from, to }) => ({
      rows: daysDescending(from, to).filter((day) => areThere || !late.includes(day)),
    }));
    await run();
    shownAsIdle.add(addDays(yesterday, -1));
    areThere = true;
    await run();
    const [revised, ...others] = log.events.filter(({ message }) => message.includes('Known days revised'));
    expect(revised?.fields).toMatchObject({ dataset: 'tokens', days: '2026-03-30' });
    expect(others).toEqual([]);
  });

  test('all that may still get a row is asked once a day, in large windows, also beyond the revision window', async () => {
    const { run, asked, clock } = harness(({ from, to }) => ({
      rows: daysDescending(from, to).filter((day) => day < addDays(start, 5)),
    }));
    await run();
    asked.length = 0;
    await run();
    expect(asked).toEqual(['2026-03-31..2026-03-31', '2026-03-25..2026-03-30']);
    asked.length = 0;
    clock.set(clock.now() + 86_400_000);
    await run();
    expect(asked).toEqual(['2026-04-01..2026-04-01', '2026-03-06..2026-03-31']);
  });

  test('days passed by a late dataset are fetched again at once, and not settled until then', async () => {
    let until = addDays(yesterday, -12);
    const parts = harness(({ from, to }) => ({
      rows: daysDescending(from, to).filter((day) => day <= until),
    }));
    const { run, asked, history, clock } = parts;
    await run();
    clock.set(clock.now() + 86_400_000);
    await run();
    const pass = (await history.standing('acme')).dataset('tokens').revisedOn;
    expect(pass).toBe(addDays(yesterday, 2));
    until = yesterday;
    asked.length = 0;
    await run();
    expect(asked).toEqual(['2026-04-01..2026-04-01', '2026-03-26..2026-03-31', '2026-03-20..2026-03-25']);
    const days = (await history.read('acme')).days('tokens');
    expect([...days.keys()].filter((day) => !days.isFilled(day))).toEqual([addDays(yesterday, 1)]);
    expect((await history.standing('acme')).dataset('tokens').revisedOn).toBe(pass);
  });

  test('days passed by a late dataset stay unsettled if fetching them again fails', async () => {
    let until = addDays(yesterday, -12);
    let fails = false;
    const { run, history, clock } = harness(({ from, to }) =>
      fails && from < addDays(yesterday, -6)
        ? new PlatformError('network', 'no route')
        : { rows: daysDescending(from, to).filter((day) => day <= until) },
    );
    await run();
    clock.set(clock.now() + 86_400_000);
    await run();
    [until, fails] = [yesterday, true];
    await run();
    expect((await history.standing('acme')).dataset('tokens').revisedOn).toBe(addDays(yesterday, -8));
  });

  test('a dataset without any row needs no more requests than one with rows', async () => {
    const [empty, full] = [harness(() => ({ rows: [] })), harness(() => ({}))];
    await empty.run();
    await full.run();
    expect(empty.asked).toEqual(full.asked);
  });

  test('fails if what reads its answers cannot be loaded, and runs once it can', async () => {
    const { runner, platform, runs, asked } = harness(() => ({}));
    const missing = { readers: { tokens: () => Promise.reject(new Error('no such file')) } };
    expect(await runner.run({ org, platform: missing, source }, collector, 'scheduled')).toBe('ended');
    expect(runs.get('acme', 'tokens')).toMatchObject({
      running: false,
      failure: { error: { message: 'unforeseen: no such file' } },
    });
    expect(asked).toEqual([]);
    await runner.run({ org, platform, source }, collector, 'scheduled');
    expect(runs.get('acme', 'tokens').failure).toBeUndefined();
  });

  test('a failure is logged when it begins and when it ends, not in between', async () => {
    let failing = true;
    const { run, log } = harness(() => (failing ? new PlatformError('network', 'no route') : {}));
    await run();
    await run();
    failing = false;
    await run();
    expect(
      log.events.filter(({ level }) => level !== 'debug').map(({ level, message }) => [level, message]),
    ).toEqual([
      ['warn', 'Collector failing; it has no data yet'],
      ['info', 'Collector recovered'],
    ]);
  });

  test('days that the platform does not have yet are no data', async () => {
    const { run, log } = harness(({ to }) =>
      to === yesterday
        ? { rows: [], unready: new Set([yesterday]) }
        : new PlatformError('server', 'a wrong link'),
    );
    await run();
    const told = log.events.filter(({ message }) => message.startsWith('Collector failing'));
    expect(told.map(({ message }) => message)).toEqual(['Collector failing; it has no data yet']);
  });

  test.each([
    ['auth', 'error', 'Collector failing'],
    ['role', 'error', 'Collector failing'],
    ['network', 'warn', 'Collector failing; it has no data yet'],
  ] as const)('a failure by %s is logged with the level %s', async (reason, level, message) => {
    const { run, log } = harness(() => new PlatformError(reason, 'refused', { status: 4, hint: 'ask' }));
    await run();
    const fields = { org: 'acme', collector: 'tokens', reason, status: 4, error: 'refused', hint: 'ask' };
    expect(log.events).toEqual([{ level, message, fields }]);
  });

  test('a failure is no news if another collector of the organization has met its cause, or if it lasts', async () => {
    let reason: 'role' | 'server' = 'role';
    const { run, log, runs } = harness(() => new PlatformError(reason, 'GET /tokens: refused'));
    const failing = (path: string) => ({ failure: { error: new PlatformError('role', path), since: 1 } });
    runs.update('acme', 'tools', failing('GET /tools: refused'));
    runs.update('globex', 'tools', failing('GET /tools: no other'));
    await run();
    await run();
    reason = 'server';
    await run();
    expect(log.events.map(({ level, message }) => [level, message])).toEqual([
      ['debug', 'Collector failing like another one of the organization'],
      ['debug', 'Collector still failing'],
      ['warn', 'Collector failing; it has no data yet'],
    ]);
    const other = harness(() => new PlatformError('role', 'GET /tokens: not GET /tools'));
    other.runs.update('acme', 'tools', failing('GET /tools: not'));
    await other.run();
    expect(other.log.events.map(({ level }) => level)).toEqual(['error']);
    const key = harness(() => new PlatformError('auth', 'GET /tokens: 401'));
    const rejected = { failure: { error: new PlatformError('auth', 'GET /tools: 403'), since: 1 } };
    key.runs.update('acme', 'tools', rejected);
    await key.run();
    expect(key.log.events.map(({ level }) => level)).toEqual(['debug']);
  });

  test('of several collectors that meet a cause at the same time, one tells of it', async () => {
    const { runner, platform, log } = harness(() => new PlatformError('role', 'refused'));
    const both = [collector, { ...collector, name: 'tools' }];
    await Promise.all(both.map((one) => runner.run({ org, platform, source }, one, 'scheduled')));
    expect(log.events.map(({ level, message }) => [level, message])).toEqual([
      ['error', 'Collector failing'],
      ['debug', 'Collector failing like another one of the organization'],
    ]);
  });

  test('nothing is requested while the store cannot be used, which is the reason of the failure', async () => {
    const { run, asked, history, runs, log } = harness(() => ({}));
    const { readDataset, standing } = history;
    history.readDataset = () => Promise.reject(brokenStore());
    history.standing = () => Promise.reject(brokenStore());
    expect(await run()).toBe('unstored');
    expect(await run()).toBe('unstored');
    expect(asked).toEqual([]);
    expect(runs.get('acme', 'tokens')).toMatchObject({
      ...{ tried: true, running: false },
      failure: { error: { reason: 'store', hint: 'free some space' } },
    });
    Object.assign(history, { readDataset, standing });
    expect(await run()).toBe('ended');
    expect(
      log.events.filter(({ level }) => level !== 'debug').map(({ level, message }) => [level, message]),
    ).toEqual([
      ['warn', 'Collector failing; its last good data is still published'],
      ['info', 'Collector recovered'],
    ]);
  });

  test('a run whose answer cannot be stored ends, and the days are asked for again', async () => {
    const { run, asked, history, covered } = harness(() => ({}));
    const { putDays } = history;
    history.putDays = () => Promise.reject(brokenStore());
    expect(await run()).toBe('unstored');
    expect(asked).toEqual(['2026-03-31..2026-03-31']);
    history.putDays = putDays;
    await run();
    expect(await covered()).toHaveLength(31);
  });

  test('stopping lets the window in flight end and starts no other', async () => {
    const parts = harness((_window, call) => {
      if (call === 2) parts.stopping.abort();
      return {};
    });
    await parts.run();
    expect(parts.asked).toHaveLength(2);
    expect(await parts.covered()).toHaveLength(9);
  });
});

describe('a run over documents', () => {
  const reports: DocumentDataset<string> = { kind: 'documents', name: 'readiness', idOf: (id) => id };

  function collecting<Report>(dataset: DocumentDataset<Report>): DocumentCollector<Report> {
    return {
      ...{ name: 'readiness', description: '', schedule: 'readiness', enabledByDefault: true },
      ...{ families: [], dataset },
    };
  }

  function listing<Report>(fetchDocuments: DocumentReader<Report>['fetchDocuments']) {
    return platformReading({ fetchDocuments });
  }

  test('a listing that fails leaves known data unchanged', async () => {
    const { runner, history, runs } = harness(() => ({}));
    let fails = false;
    const platform = listing(async () => {
      if (fails) throw new PlatformError('timeout', 'too slow');
      return { documents: ['a', 'b'], complete: true, rejected: 0, remarks: [] };
    });
    await runner.run({ org, platform, source }, collecting(reports), 'scheduled');
    fails = true;
    await runner.run({ org, platform, source }, collecting(reports), 'scheduled');
    expect((await history.read('acme')).documents('readiness')).toEqual(['a', 'b']);
    expect(runs.get('acme', 'readiness').failure?.error.reason).toBe('timeout');
  });

  test('a listing that is empty all at once is logged, once', async () => {
    const { runner, log } = harness(() => ({}));
    let listed: readonly string[] = [];
    const platform = listing(async () => ({ documents: listed, complete: true, rejected: 0, remarks: [] }));
    for (listed of [[], ['a', 'b'], ['b'], [], []]) {
      await runner.run({ org, platform, source }, collecting(reports), 'scheduled');
    }
    expect(log.events.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        message: 'The platform lists nothing any more; what it listed is no longer published',
        fields: { org: 'acme', collector: 'readiness', gone: 1 },
      },
    ]);
  });

  test('a listing counts as tried and succeeded, unless the run was abandoned: then nothing of it is stored', async () => {
    const { runner, history, runs, clock, published } = harness(() => ({}));
    const retired = new AbortController();
    const listed = { documents: ['a'], complete: true, rejected: 2, remarks: [] };
    const abandoned = listing(async () => {
      retired.abort();
      return listed;
    });
    const reading = collecting(reports);
    const target = { org, platform: abandoned, source, retired: retired.signal };
    const end = await runner.run(target, reading, 'scheduled');
    expect(end).toBe('aborted');
    expect((await history.read('acme')).documents('readiness')).toEqual([]);
    expect(published()).toBe(0);
    await runner.run({ org, platform: listing(async () => listed), source }, reading, 'scheduled');
    expect(published()).toBe(1);
    const at = clock.now();
    expect((await history.standing('acme')).dataset('readiness')).toMatchObject({ succeededAt: at });
    expect(runs.get('acme', 'readiness')).toMatchObject({ tried: true, lastSuccessAt: at });
  });

  test('a document that was not usable as a whole replaces no earlier one', async () => {
    const { runner, history } = harness(() => ({}));
    const named: DocumentDataset<{ id: string; text: string }> = {
      ...{ kind: 'documents', name: 'readiness' },
      idOf: ({ id }) => id,
    };
    const [whole, damaged] = [
      { id: 'a', text: 'whole' },
      { id: 'a', text: 'damaged' },
    ];
    for (const listed of [{ documents: [whole] }, { documents: [damaged], damaged: [damaged] }]) {
      const platform = listing(async () => ({ ...listed, complete: true, rejected: 0, remarks: [] }));
      await runner.run({ org, platform, source }, collecting(named), 'scheduled');
    }
    expect((await history.read('acme')).documents('readiness')).toEqual([whole]);
  });
});
