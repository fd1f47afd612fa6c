import { expect, test } from 'vitest';
import { addDays, type Day, startOf } from '../../src/catalog/day.ts';
import type { Source } from '../../src/catalog/source.ts';
import { productivityCollector } from '../../src/collectors/productivity/collector.ts';
import { Instruments } from '../../src/exposition/instruments.ts';
import { createRunStates } from '../../src/pipeline/run-states.ts';
import { Runner } from '../../src/pipeline/runner.ts';
import { agentPlatform } from '../../src/platforms/agent-platform/platform.ts';
import type { Store } from '../../src/store/store.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { createMemoryStore } from '../support/store.ts';

const start = dayNamed('2026-03-01');
const org = {
  name: 'acme',
  readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: true },
} as const;

/** A platform that adds one field and drops another from a day on. */
function platformThatChanges(from: Day): Source {
  return {
    async get({ query }) {
      const data: object[] = [];
      for (let day = query['startDate'] as Day; day <= (query['endDate'] ?? ''); day = addDays(day, 1)) {
        const known = { date: day, files_created: 1, files_edited: 2, git_prs_created: 0 };
        data.push(day < from ? { ...known, git_commits: 3 } : { ...known, git_prs_merged: 4 });
      }
      return { body: { data, meta: { org_id: 'org_1' } }, bytes: 1000 };
    },
    pages: () => Promise.reject(new Error('not used')),
    lines: () => Promise.reject(new Error('not used')),
    inSlices: () => Promise.reject(new Error('not used')),
  };
}

function startProcess(history: Store, clock: FakeClock, source: Source) {
  const log = createFakeLogger();
  const runs = createRunStates();
  const instruments = new Instruments({ version: '', revision: '', clock, processMetrics: false });
  const publisher = { showsIdle: () => false, publish: async () => undefined };
  const parts = { history, historyStart: start, revisionDays: 7, publisher, runs, instruments, clock, log };
  const runner = new Runner(parts);
  return {
    run: () => runner.run({ org, platform: agentPlatform, source }, productivityCollector, 'scheduled'),
    told: () =>
      log.events.filter(({ message }) => message.includes('field')).map(({ fields }) => fields['field']),
    fields() {
      const { unknownFields, missingFields } = runs.get('acme', 'productivity');
      return { unknownFields: [...unknownFields.keys()], missingFields };
    },
    page: () =>
      [...instruments.textsOfOrgs('text')]
        .join('')
        .split('\n')
        .filter((line) => /^agent_platform_exporter_(unknown|missing)_fields\{/.test(line)),
  };
}

test('what changes in the answers is logged once by name, counted and shown, also by the next process', async () => {
  const history = createMemoryStore();
  const clock = createFakeClock(startOf(dayNamed('2026-03-11')) + 3_600_000, { autoAdvance: true });
  const source = platformThatChanges(dayNamed('2026-03-11'));

  const first = startProcess(history, clock, source);
  await first.run();
  expect(first.fields()).toEqual({ unknownFields: [], missingFields: [] });
  for (let day = 0; day < 6; day += 1) {
    clock.set(clock.now() + 86_400_000);
    await first.run();
  }
  expect(first.fields()).toEqual({ unknownFields: ['git_prs_merged'], missingFields: [] });
  expect(first.told()).toEqual(['git_prs_merged']);

  const second = startProcess(history, clock, source);
  clock.set(clock.now() + 86_400_000);
  await second.run();
  await second.run();
  expect(second.fields()).toEqual({ unknownFields: ['git_prs_merged'], missingFields: ['git_commits'] });
  expect(second.told()).toEqual(['git_prs_merged', 'git_commits']);
  expect(second.page()).toEqual([
    'agent_platform_exporter_unknown_fields{org="acme",dataset="productivity"} 1',
    'agent_platform_exporter_missing_fields{org="acme",dataset="productivity"} 1',
  ]);
});

test('an unreadable form is named with the second day that has it, though days come late', async () => {
  const clock = createFakeClock(startOf(dayNamed('2026-03-10')) + 3_600_000, { autoAdvance: true });
  const source = platformThatChanges(dayNamed('2026-04-01'));
  const late: Source = {
    ...source,
    async get(request) {
      const { body, bytes } = await source.get(request);
      const { data } = body as { readonly data: readonly { readonly date: Day }[] };
      const ended = data.filter(({ date }) => clock.now() > startOf(addDays(date, 1)) + 6 * 3_600_000);
      const changed = ended.map((row) => (row.date < '2026-03-11' ? row : { ...row, files_edited: [2] }));
      return { body: { data: changed }, bytes };
    },
  };
  const process = startProcess(createMemoryStore(), clock, late);
  const named: (readonly string[])[] = [];
  for (let day = 10; day < 14; day += 1) {
    for (const hour of [1, 7, 13]) {
      clock.set(startOf(dayNamed(`2026-03-${day}`)) + hour * 3_600_000);
      await process.run();
    }
    named.push(process.fields().unknownFields);
  }
  expect(named).toEqual([[], [], [], ['files_edited']]);
  expect(process.told()).toEqual(['files_edited']);
});

test('the fields of an answer from another organization are not learned', async () => {
  const history = createMemoryStore();
  await history.adopt('acme', 'org_9');
  const clock = createFakeClock(startOf(dayNamed('2026-03-11')) + 3_600_000, { autoAdvance: true });
  const runs = createRunStates();
  const instruments = new Instruments({ version: '', revision: '', clock, processMetrics: false });
  const publisher = { showsIdle: () => false, publish: async () => undefined };
  const log = createFakeLogger();
  const parts = { history, historyStart: start, revisionDays: 7, publisher, runs, instruments, clock, log };
  const source = platformThatChanges(dayNamed('2026-03-11'));
  await new Runner(parts).run({ org, platform: agentPlatform, source }, productivityCollector, 'scheduled');
  expect(runs.get('acme', 'productivity').failure?.error.reason).toBe('organization');

  const lacking = new Set(Array.from({ length: 7 }, (_, index) => addDays(dayNamed('2026-03-11'), index)));
  const { missingFields } = await history.putDays('acme', 'productivity', {
    ...{ days: [], rows: new Map(), orgId: 'org_9', at: clock.now() },
    lags: { isNews: () => false, isNextPoll: true, comparedDays: 7 },
    seen: new Map([['git_commits', { lacking }]]),
  });
  expect(missingFields).toEqual([]);
});
