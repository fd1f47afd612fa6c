import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDayCollector } from '../../src/catalog/collector.ts';
import type { DatasetName } from '../../src/catalog/dataset.ts';
import { addDays, type Day, dayOf, daysFrom, endOf, startOf } from '../../src/catalog/day.ts';
import { ANONYMOUS, type OrgSettings } from '../../src/catalog/settings.ts';
import { aboutFamilies, collectors } from '../../src/collectors/index.ts';
import type { Page } from '../../src/exposition/page.ts';
import type { FamilyText } from '../../src/exposition/text.ts';
import { Publisher, type PublishRules } from '../../src/pipeline/publisher.ts';
import type { Store } from '../../src/store/store.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { createMemoryStore } from '../support/store.ts';
import { hasAllRuns } from '../support/thoroughness.ts';

// The page made step by step is the page made from scratch, whatever is stored, reloaded or told by the clock in between.

const HISTORY_START = dayNamed('2026-01-14');
const TODAY = dayNamed('2026-08-03');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MAX_AGE_MS = 5 * 24 * HOUR;

type Row = Readonly<Record<string, unknown>>;

/** The next midnight, the end of the last answer's age, or the last date of the last listed documents. */
type Instants = 'midnight' | 'age' | 'date';

/** What happens next. */
type Step =
  | {
      readonly does: 'answer';
      readonly dataset: DatasetName;
      /** How many days before yesterday the newest of the days is. */
      readonly back: number;
      readonly rows: readonly (Row | undefined)[];
    }
  | { readonly does: 'repeat' | 'adopt' | 'rest' }
  | { readonly does: 'pass'; readonly dataset: DatasetName; readonly back: number }
  | { readonly does: 'list'; readonly dataset: 'readiness' | 'wiki'; readonly ages: readonly number[] }
  | { readonly does: 'wait'; readonly until: Instants | number; readonly off: number }
  | { readonly does: 'reload'; readonly config: number };

const amount = fc.integer({ min: 0, max: 3 }).map((one) => one * 1000);
const counts = (value: readonly string[]) =>
  fc.array(fc.record({ name: fc.constantFrom(...value), count: amount }), { maxLength: 3 });
const unlessRejected = fc.option(fc.constantFrom({ total: 1 }, { calls: 0 }), { freq: 6, nil: undefined });

const rowOf: Readonly<Record<string, fc.Arbitrary<Row>>> = {
  tokens: fc.record({
    credits: amount,
    byModel: fc.uniqueArray(
      fc.record({
        model: fc.constantFrom('a', 'b', 'c'),
        tier: fc.constantFrom('s', 'p', undefined),
        credits: amount,
      }),
      { maxLength: 3, selector: ({ model }) => model },
    ),
    rejected: unlessRejected,
  }),
  tools: fc.record({ toolCalls: amount, byTool: counts(['Read', 'Edit', 'Bash']), rejected: unlessRejected }),
  activity: fc.record({ dailyUsers: amount, weeklyUsers: amount, sessions: amount }),
  productivity: fc.record({ commits: amount, byLanguage: counts(['Go', 'C']) }),
  users: fc.record({
    identity: fc.constantFrom('none', 'id'),
    teamRules: fc.constantFrom('none', 'teams'),
    credits: amount,
    byTeam: fc.constantFrom([{ team: 'red', active: 9, credits: 50 }], undefined),
    budgetedTeams: fc.constantFrom([{ team: 'red', credits: 50 }], undefined),
  }),
};

const dataset = fc.constantFrom('tokens', 'tools', 'activity', 'productivity', 'users');
// Most answers are about the newest days; some of the others are older than what is read at first.
const back = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -1, max: 6 }) },
  { weight: 1, arbitrary: fc.integer({ min: 7, max: 190 }) },
);
const answer = dataset.chain((name) =>
  fc.record({
    does: fc.constant('answer' as const),
    dataset: fc.constant(name),
    back,
    rows: fc.array(fc.option(rowOf[name] ?? fc.constant({}), { nil: undefined, freq: 3 }), {
      minLength: 1,
      maxLength: 5,
    }),
  }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: answer },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('pass' as const),
      dataset,
      back: fc.integer({ min: 0, max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('list' as const),
      dataset: fc.constantFrom('readiness', 'wiki'),
      ages: fc.uniqueArray(fc.constantFrom(-30 * HOUR, -HOUR, -MINUTE, 0, HOUR, 90 * HOUR), { maxLength: 3 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constant('wait' as const),
      until: fc.oneof(
        fc.constantFrom<Instants | number>('midnight', 'age', 'date'),
        fc.constantFrom<Instants | number>(
          0,
          MINUTE,
          HOUR,
          30 * HOUR,
          72 * HOUR,
          MAX_AGE_MS,
          -HOUR,
          -50 * HOUR,
        ),
      ),
      off: fc.constantFrom(0, 1, -1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('repeat', 'repeat', 'adopt', 'rest') }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('reload' as const), config: fc.nat(3) }) },
);

/** Settings between which reloads change: prices, teams and limits. */
const configs = [
  { values: 200, people: ANONYMOUS, price: 2.7 },
  { values: 1, people: ANONYMOUS, price: 2.7 },
  { values: 200, people: ANONYMOUS, price: 3 },
  {
    values: 200,
    people: { ...ANONYMOUS, identity: 'id', teamRules: 'teams', teamBudgets: new Map([['red', 5000]]) },
    price: 2.7,
  },
] as const;

function settingsOf(config: number): OrgSettings {
  const { people, price } = configs[config] ?? configs[0];
  return {
    name: 'acme',
    readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: false },
    contract: {
      creditsPerMonth: 100_000,
      prices: [{ from: HISTORY_START, currency: 'USD', perMillionCredits: price }],
    },
    people,
  };
}

interface Shown {
  /** Publishes under a configuration. */
  publish(settings: OrgSettings, config: number): Promise<void>;
  /** The lines of each collector, as they were exchanged last. */
  lines(): string;
}

/** Publishes to a page of its own, whose lines are texts. */
function createPage(store: Pick<Store, 'standing' | 'read'>, clock: FakeClock): Shown {
  let text = '';
  const page: Pick<Page, 'replace' | 'remove'> = {
    replace(_org, texts) {
      const all = [...texts.values()].flat();
      text = all.flatMap(({ bytes }) => bytes.map(String)).join('');
    },
    remove: () => undefined,
  };
  const publisher = new Publisher({
    aboutFamilies,
    history: store,
    async renderText(family, _org, given): Promise<FamilyText> {
      const samples = [...given];
      const lines = samples.map(({ labels, value }) => `${family.name} ${JSON.stringify(labels)} ${value}\n`);
      const bytes = [Buffer.from(lines.join(''))];
      return { family: family.name, series: samples.length, overflow: false, bytes };
    },
    page,
    instruments: { familiesDropped: () => undefined, valuesFolded: () => undefined } as never,
    ...{ clock, log: createFakeLogger() },
  });
  // The same configuration is the same object, as after a reload.
  const rules = configs.map(
    ({ values }): PublishRules => ({
      collectors,
      historyStart: HISTORY_START,
      labelLimit: () => values,
      seriesBudget: 100_000,
      maxAgeMs: MAX_AGE_MS,
    }),
  );
  return {
    async publish(settings, config) {
      publisher.use(
        rules[config] ?? expect.fail('no such configuration'),
        new Map([[settings.name, settings]]),
      );
      await publisher.publish(settings.name);
    },
    lines: () => text,
  };
}

/** Takes the steps, and fails if the page is not the one made from scratch after each of them. */
async function walk(
  steps: readonly Step[],
  seen: (store: Store) => Pick<Store, 'standing' | 'read'> = (store) => store,
): Promise<void> {
  const clock = createFakeClock(startOf(TODAY) + 9 * HOUR);
  const store = createMemoryStore();
  let [settings, config, named] = [settingsOf(0), 0, 1];
  const page = createPage(seen(store), clock);
  let repeat = async () => {};
  let [answeredAt, date] = [clock.now(), clock.now()];
  const dayBack = (count: number): Day => addDays(dayOf(clock.now()), -1 - count);

  async function take(next: Step): Promise<void> {
    switch (next.does) {
      case 'answer': {
        const newest = dayBack(next.back);
        const days = daysFrom(addDays(newest, 1 - next.rows.length), newest);
        const rows = new Map(
          days.flatMap((day, at) => (next.rows[at] === undefined ? [] : [[day, next.rows[at]]])),
        );
        repeat = async () => {
          const parts = collectors.filter(isDayCollector).find((one) => one.dataset.name === next.dataset);
          answeredAt = clock.now();
          await store.putDays('acme', next.dataset, {
            ...{ days, rows, orgId: `org-${named}`, at: answeredAt, parts: parts?.dataset.parts },
          });
        };
        return repeat();
      }
      case 'repeat':
        return repeat();
      case 'adopt':
        named = 3 - named;
        return store.adopt('acme', `org-${named}`);
      case 'pass':
        return store.putRevisedOn('acme', next.dataset, addDays(dayOf(clock.now()), -next.back));
      case 'list': {
        const documents = next.ages.map((age, at) => ({
          ...{ id: `${at}`, repo: `host/${at}`, createdAt: clock.now() - age, at: clock.now() - age },
          ...{
            branch: 'main',
            pages: at,
            criteria: [{ id: 'tests', skipped: false, passed: at, evaluated: 3 }],
          },
        }));
        answeredAt = clock.now();
        date = Math.max(...documents.map(({ createdAt }) => createdAt), answeredAt);
        await store.putDocuments('acme', next.dataset, {
          documents: new Map(documents.map((one) => [one.id, one])),
          ...{ complete: true, orgId: undefined, at: clock.now() },
        });
        return;
      }
      case 'wait': {
        const instants = {
          midnight: endOf(dayOf(clock.now())),
          age: answeredAt + MAX_AGE_MS,
          date,
        };
        const { until, off } = next;
        clock.set(off + (typeof until === 'number' ? clock.now() + until : instants[until]));
        return;
      }
      case 'reload':
        config = next.config;
        settings = settingsOf(config);
        return;
      case 'rest':
        return;
    }
  }

  try {
    for (const [index, next] of steps.entries()) {
      await take(next);
      await page.publish(settings, config);
      // Reads every row, however old.
      const whole = {
        standing: (org: string) => store.standing(org),
        read: (org: string) => store.read(org),
      };
      const scratch = createPage(whole, clock);
      await scratch.publish(settings, config);
      expect(page.lines(), `after step ${index}: ${JSON.stringify(next)}`).toBe(scratch.lines());
    }
  } finally {
    await store.close();
  }
}

const steps = fc.array(step, { minLength: 3, maxLength: 16 });

test('the page made step by step is the page made from scratch', async () => {
  await fc.assert(
    fc.asyncProperty(steps, (taken) => walk(taken)),
    {
      numRuns: hasAllRuns ? 1000 : 60,
      ...(hasAllRuns ? {} : { seed: 1 }),
    },
  );
});

test('which tells if a change of rows, coverage or documents does not raise a revision', async () => {
  const frozen = (store: Store): Pick<Store, 'standing' | 'read'> => ({
    read: async (org, from) => withFirstRevision(await store.read(org, from)),
    standing: async (org) => withFirstRevision(await store.standing(org)),
  });
  const { failed } = await fc.check(
    fc.asyncProperty(steps, (taken) => walk(taken, frozen)),
    { numRuns: 60, seed: 1 },
  );
  expect(failed).toBe(true);
});

function withFirstRevision<Known extends Awaited<ReturnType<Store['standing']>>>(known: Known): Known {
  return { ...known, dataset: (name: DatasetName) => ({ ...known.dataset(name), revision: 1 }) };
}
