import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Collector, isDayCollector } from '../../src/catalog/collector.ts';
import { addDays, type Day, endOf } from '../../src/catalog/day.ts';
import { aboutFamilies, collectors as allCollectors } from '../../src/collectors/index.ts';
import {
  assessDays,
  type KnownOrg,
  knowledgeOf,
  type PastParts,
  projectPage,
} from '../../src/pipeline/past-days.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { dayNamed } from '../support/day.ts';
import { storedOrg } from '../support/store.ts';
import { propertyRuns } from '../support/thoroughness.ts';

const collectors = allCollectors.filter(({ name }) =>
  ['tokens', 'spend', 'tools', 'activity', 'productivity'].includes(name),
);
const prices = [
  { from: dayNamed('2026-01-01'), currency: 'USD', perMillionCredits: 2.7 },
  { from: dayNamed('2026-03-05'), currency: 'USD', perMillionCredits: 3 },
  { from: dayNamed('2026-04-01'), currency: 'EUR', perMillionCredits: 3 },
];

const amount = fc.oneof(fc.nat({ max: 5 }), fc.double({ min: 0, max: 1e9, noNaN: true }));
const maybe = fc.option(amount, { nil: undefined, freq: 9 });
const name = fc.constantFrom('a', 'b', 'c', 'd', 'A long\u0000name', 'other');
/** Null where it, or a part of it, was unusable. */
const part = fc.option(amount, { nil: null, freq: 9 });
const counts = fc.option(fc.array(fc.record({ name, count: part }), { maxLength: 5 }), { nil: undefined });
const tier = fc.constantFrom('standard', 'premium', undefined);
const usage = fc.oneof({ weight: 9, arbitrary: maybe }, { weight: 1, arbitrary: fc.constant(null) });
const model = fc.record({ model: name, tier, credits: usage, input: usage, output: usage });
const models = fc.option(fc.array(model, { maxLength: 6 }), { nil: undefined });
const rejected = fc.constantFrom(undefined, undefined, undefined, { models: 1 }, { tools: 1 });

/** A day that was never answered, answered without a row, or with one. */
function days(row: Readonly<Record<string, fc.Arbitrary<unknown>>>) {
  const one = fc.oneof(
    { weight: 1, arbitrary: fc.constant('unanswered' as const) },
    { weight: 2, arbitrary: fc.constant(undefined) },
    { weight: 12, arbitrary: fc.record({ ...row, rejected }) },
  );
  return fc.array(one, { minLength: 80, maxLength: 80 });
}

const datasets = fc.record({
  tokens: days({ credits: maybe, byModel: models, creditsByUser: maybe }),
  tools: days({ toolCalls: maybe, byTool: counts, mcpByServer: counts }),
  activity: days({ dailyUsers: maybe, byClient: counts, sessions: maybe }),
  productivity: days({ commits: maybe, byLanguage: counts, byExtension: counts }),
});
const first = fc.constantFrom('2026-01-01', '2026-01-13', '2026-01-30').map(dayNamed);
/** The days between one that is described and the next one; 40 is more than zeros are remembered for. */
const steps = fc.array(fc.constantFrom(1, 1, 1, 1, 2, 7, 40), { maxLength: 30 });

function historyOf(from: Day, rows: Readonly<Record<string, readonly unknown[]>>) {
  const byDataset = new Map<string, ReadonlyMap<Day, unknown>>();
  for (const [dataset, list] of Object.entries(rows)) {
    const answered = [...list.entries()].filter(([, row]) => row !== 'unanswered');
    byDataset.set(dataset, new Map(answered.map(([index, row]) => [addDays(from, index), row])));
  }
  return storedOrg({
    orgId: 'org-1',
    days: (dataset) => byDataset.get(dataset),
    revisedOn: (dataset) => (dataset === 'tools' ? undefined : dayNamed('2026-12-31')),
  });
}

async function pageOf(org: ReturnType<typeof assessDays>, day: Day) {
  const isKnown = (collector: Collector) => knowledgeOf(org, collector, day) === 'known';
  const page = await projectPage(org, collectors.filter(isKnown), [endOf(day) + 43_200_000]);
  return page.map(({ family, samples }) => [family.name, [...samples()]]);
}

test('a day after others has the samples that it has alone', async () => {
  await fc.assert(
    fc.asyncProperty(datasets, first, steps, fc.constantFrom(3, 200), async (rows, from, moves, limit) => {
      const knownAt = endOf(addDays(from, 120));
      const parts: PastParts = {
        aboutFamilies,
        datasets: collectors.filter(isDayCollector).map(({ dataset }) => dataset),
        bounds: { historyStart: from },
        labelLimit: () => limit,
        seriesBudget: 1_000_000,
        knownAt,
        clock: createSystemClock(),
      };
      const readiness = { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: true } as const;
      const contract = { creditsPerMonth: 1000, prices, seats: 3 };
      const known: KnownOrg = {
        settings: { name: 'acme', readiness, contract },
        history: historyOf(from, rows),
      };
      const consecutive = assessDays(parts, known);
      let day = from;
      for (const move of moves) {
        expect(await pageOf(consecutive, day)).toEqual(await pageOf(assessDays(parts, known), day));
        day = addDays(day, move);
      }
    }),
    { numRuns: propertyRuns(60) },
  );
});
