import { expect, test } from 'vitest';
import { addDays, startOf } from '../../src/catalog/day.ts';
import { readinessCollector } from '../../src/collectors/readiness/collector.ts';
import type { ReadinessReport } from '../../src/collectors/readiness/dataset.ts';
import { tokensCollector } from '../../src/collectors/tokens/collector.ts';
import { toolsCollector } from '../../src/collectors/tools/collector.ts';
import { Instruments } from '../../src/exposition/instruments.ts';
import { Page } from '../../src/exposition/page.ts';
import { Publisher, type PublishRules } from '../../src/pipeline/publisher.ts';
import { createFakeView } from '../collectors/fakes.ts';
import { answer } from '../store/files.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { createMemoryStore } from '../support/store.ts';

const DAY = dayNamed('2026-06-10');
const NOON = startOf(addDays(DAY, 1)) + 12 * 3_600_000;
const MAX_AGE_MS = 7 * 86_400_000;

const RULES: PublishRules = {
  collectors: [tokensCollector, toolsCollector, readinessCollector],
  historyStart: addDays(DAY, -400),
  labelLimit: () => 200,
  seriesBudget: 1000,
  maxAgeMs: MAX_AGE_MS,
};

function createHarness(onRender: () => void = () => undefined) {
  const clock = createFakeClock(NOON);
  const history = createMemoryStore();
  const page = new Page({ families: [], clock });
  const rendered: string[] = [];
  const log = createFakeLogger();
  const publisher = new Publisher({
    aboutFamilies: [],
    ...{ history, page, clock, log },
    renderText: async ({ name }, _org, given) => {
      onRender();
      rendered.push(`${name.replace('agent_platform_', '')} ${[...given].length}`);
      return undefined;
    },
    instruments: new Instruments({ version: '', revision: '', clock, processMetrics: false }),
  });
  const { settings } = createFakeView({});
  const names = ['acme', 'one', 'other', 'again'];
  /** Puts a configuration in use that says the same in another object. */
  function replace(): void {
    publisher.use({ ...RULES }, new Map(names.map((name) => [name, { ...settings, name }])));
  }
  replace();
  return {
    clock,
    log,
    replace,
    publisher,
    publishAs: (name: string) => publisher.publish(name),
    putDayOf: (org: string, orgId: string) =>
      history.putDays(org, 'tokens', { ...answer([DAY], { [DAY]: { credits: 5 } }, clock.now()), orgId }),
    putDay: (dataset: 'tokens' | 'tools', row: object) =>
      history.putDays('acme', dataset, answer([DAY], { [DAY]: row }, clock.now())),
    putReports: (...reports: readonly ReadinessReport[]) =>
      history.putDocuments('acme', 'readiness', {
        documents: new Map(reports.map((report) => [report.id, report])),
        ...{ complete: true, orgId: undefined, at: clock.now() },
      }),
    putOld: (row: object) => {
      const old = addDays(DAY, -300);
      return history.putDays('acme', 'tokens', answer([old], { [old]: row }, clock.now()));
    },
    /** Publishes, and returns the families that were rendered with the number of their samples. */
    async publish() {
      rendered.length = 0;
      await publisher.publish(settings.name);
      return [...rendered];
    },
  };
}

function report(id: string, createdAt: number): ReadinessReport {
  return { id, createdAt, repo: `host/${id}`, branch: 'main', criteria: [] };
}

test('an answer that says what is known renders nothing again', async () => {
  const { publish, putDay, putReports, clock } = createHarness();
  await putDay('tokens', { credits: 5 });
  await putDay('tools', { toolCalls: 2 });
  await putReports(report('one', NOON - 1));
  expect(await publish()).toContain('daily_credits 1');

  await clock.advance(3_600_000);
  await putDay('tokens', { credits: 5 });
  await putReports(report('one', NOON - 1));
  expect(await publish()).toEqual([]);
});

test('a changed row or document renders the organization again, once', async () => {
  const { publish, putDay, putReports } = createHarness();
  await putDay('tokens', { credits: 5 });
  await putDay('tools', { toolCalls: 2 });
  await putReports(report('one', NOON - 1));
  await publish();
  await putDay('tokens', { credits: 6 });
  const rendered = await publish();
  expect(rendered).toContain('daily_tool_calls 1');
  expect(rendered).toContain('readiness_report_timestamp_seconds 1');
  expect(await publish()).toEqual([]);
  await putReports(report('one', NOON - 1), report('two', NOON - 1));
  expect(await publish()).toContain('readiness_report_timestamp_seconds 2');
  expect(await publish()).toEqual([]);
});

test('a row from before the days that are read at first is read all the same', async () => {
  const { publish, putOld } = createHarness();
  await putOld({ credits: 5 });
  expect(await publish()).toContain('daily_credits 1');
});

test('another configuration and another day render again', async () => {
  const { publish, putDay, replace, clock } = createHarness();
  await putDay('tokens', { credits: 5 });
  await publish();
  replace();
  expect(await publish()).toContain('daily_credits 1');
  await clock.advance(12 * 3_600_000);
  expect(await publish()).toContain('daily_credits 1');
});

test('data that has become too old goes, though it has not changed', async () => {
  const { publish, putReports, clock } = createHarness();
  await putReports(report('one', NOON - 1));
  expect(await publish()).toContain('readiness_applications 0');
  await clock.advance(MAX_AGE_MS + 1);
  expect(await publish()).toEqual([]);
});

test('a report from a clock that is ahead is shown once its time has come, and hidden again if the clock is set back', async () => {
  const { publish, putReports, clock } = createHarness();
  await putReports(report('one', NOON - 1), report('two', NOON + 60_000));
  expect(await publish()).toContain('readiness_report_timestamp_seconds 1');
  await clock.advance(30_000);
  expect(await publish()).toEqual([]);
  await clock.advance(30_000);
  expect(await publish()).toContain('readiness_report_timestamp_seconds 2');
  clock.set(NOON);
  expect(await publish()).toContain('readiness_report_timestamp_seconds 1');
});

test('two names for one organization are warned of once', async () => {
  const { log, putDayOf, publishAs } = createHarness();
  await putDayOf('one', 'org-1');
  await putDayOf('other', 'org-2');
  await putDayOf('again', 'org-1');
  for (const name of ['one', 'other', 'again', 'again', 'one']) await publishAs(name);
  const warnings = log.events.filter(({ level }) => level === 'warn');
  expect(warnings).toMatchObject([{ fields: { org: 'again', other: 'one', orgId: 'org-1' } }]);
});

test('what was published of an organization is known until it is forgotten', async () => {
  const { publish, putDay, putOld, publisher, clock, putDayOf } = createHarness();
  const shown = (collector = 'tokens') => publisher.of('acme').collectors.get(collector);
  const known = () => ({
    day: shown()?.day,
    uncovered: shown()?.uncovered,
    orgId: publisher.of('acme').orgId,
    isExpired: shown()?.expired === true,
    isIdle: publisher.showsIdle('acme', 'tokens', DAY),
  });
  const nothing = {
    ...{ day: undefined, uncovered: undefined, orgId: undefined },
    ...{ isExpired: false, isIdle: false },
  };
  expect(known()).toEqual(nothing);
  await putOld({ credits: 5 });
  await putDayOf('acme', 'org-1');
  await putDay('tools', { toolCalls: 2 });
  await publish();
  const first = { ...nothing, day: DAY, uncovered: 399, orgId: 'org-1' };
  expect(known()).toEqual(first);
  expect(shown('readiness')?.day).toBeUndefined();
  await clock.advance(MAX_AGE_MS + 1);
  await publish();
  expect(known()).toMatchObject({ day: DAY, isExpired: true });
  publisher.forget('acme');
  expect(known()).toEqual(nothing);
});

test('a newer day is told of once, and so is data that has become too old', async () => {
  const { publish, putDay, replace, clock, log } = createHarness();
  const told = () => log.events.splice(0).map(({ level, fields }) => ({ level, ...fields }));
  await putDay('tokens', { credits: 5 });
  await publish();
  expect(told()).toEqual([{ level: 'info', org: 'acme', collector: 'tokens', day: DAY }]);
  await putDay('tokens', { credits: 6 });
  await publish();
  expect(told()).toEqual([]);
  await clock.advance(MAX_AGE_MS + 1);
  await publish();
  expect(told()).toEqual([{ level: 'warn', org: 'acme', collector: 'tokens', maxAgeMs: MAX_AGE_MS }]);
  replace();
  await publish();
  await putDay('tokens', { credits: 7 });
  expect(await publish()).toContain('daily_credits 1');
  expect(told()).toEqual([]);
});

test('calls for one organization that wait are one, and each sees what was stored before it', async () => {
  const { publish, putDay, publishAs } = createHarness();
  await putDay('tokens', { credits: 5 });
  const both = [publishAs('acme'), publishAs('acme')];
  expect(both[1]).toBe(both[0]);
  await Promise.all(both);
  const first = publishAs('acme');
  await first;
  expect(publishAs('acme')).not.toBe(first);
  await putDay('tokens', { credits: 6 });
  expect(await publish()).toContain('daily_credits 1');
});

test('settings that change while an organization is rendered are those that it is published with', async () => {
  let onRender = () => {};
  const { publish, putDay, replace, publisher } = createHarness(() => onRender());
  await putDay('tokens', { credits: 5 });
  onRender = () => {
    onRender = () => {};
    replace();
  };
  const rendered = await publish();
  expect(rendered.filter((line) => line === 'daily_credits 1')).toHaveLength(2);
  expect(publisher.of('acme').collectors.get('tokens')?.day).toBe(DAY);
  expect(await publish()).toEqual([]);
});

test('an organization that is removed while it is rendered is not published', async () => {
  let onRender = () => {};
  const { publish, putDay, publisher } = createHarness(() => onRender());
  await putDay('tokens', { credits: 5 });
  onRender = () => {
    onRender = () => {};
    publisher.use({ ...RULES }, new Map());
    publisher.forget('acme');
  };
  await publish();
  expect(publisher.of('acme').collectors.size).toBe(0);
});
