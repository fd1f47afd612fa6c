import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiContract, type KnownFields, missingIn, withSeen } from '../../src/catalog/api-contract.ts';
import { isDayCollector, isFetching } from '../../src/catalog/collector.ts';
import { addDays, type Day, dayOf, daysFrom, startOf } from '../../src/catalog/day.ts';
import type { Source } from '../../src/catalog/source.ts';
import { collectors } from '../../src/collectors/index.ts';
import { FieldWatch } from '../../src/pipeline/field-watch.ts';
import { createRandom, drawn, type Random } from '../fuzz/random.ts';
import { dayNamed } from '../support/day.ts';
import { fetchDays, fetchDocuments } from '../support/readers.ts';
import { hasAllRuns, propertyRuns } from '../support/thoroughness.ts';
import { type Ask, described, idle, type Row, simulated } from './worlds.ts';

const fetching = collectors.filter(isFetching);
const MUTATIONS = propertyRuns(60);
/** In `npm test`, two of the quiet weeks are among them. */
const UNCHANGED_DAYS = hasAllRuns ? 400 : 100;

function collectorOf(dataset: string) {
  const found = fetching.find(({ name }) => name === dataset);
  if (found === undefined) throw new Error(`there is no collector ${dataset}`);
  return found;
}

/** The contract with which a collector compares what a platform answers. */
async function contractOf(dataset: string): Promise<ApiContract> {
  const contracts: ApiContract[] = [];
  const collector = collectorOf(dataset);
  const source: Source = {
    get: async () => ({ body: { data: [] }, bytes: 0 }),
    async pages(_request, onItems) {
      onItems([]);
      return { end: 'empty', complete: true, pages: 1, bytes: 0 };
    },
    lines: () => Promise.reject(new Error('not used')),
    inSlices: () => Promise.reject(new Error('not used')),
    compare: (contract) => void contracts.push(contract),
  };
  await (isDayCollector(collector)
    ? fetchDays(collector, source, { from: NEWEST, to: NEWEST })
    : fetchDocuments(collector, source));
  const [contract] = contracts;
  if (contract === undefined) throw new Error(`${dataset} has no contract`);
  return contract;
}

const BEFORE = 10;
const NEWEST = dayNamed('2027-02-20');

/** Polls one dataset day by day, each time with the newest days, and collects what is noticed. */
async function observer(dataset: string) {
  const contract = await contractOf(dataset);
  let known: KnownFields = {};
  const unknown = new Set<string>();
  const missing = new Set<string>();
  return {
    unknown,
    missing,
    poll(elements: readonly Row[]): void {
      const watch = new FieldWatch();
      watch.compare(contract, elements);
      for (const field of watch.unknown()) unknown.add(field);
      // As it is stored.
      known = JSON.parse(JSON.stringify(withSeen(known, watch.seen()))) as KnownFields;
      for (const field of missingIn(known)) missing.add(field);
    },
  };
}

/** The values at a path of some elements; a list on the way stands for all of its elements. */
function holdersOf(elements: readonly unknown[], path: readonly string[]): Row[] {
  const [first = '', ...rest] = path;
  const holders = elements.filter((one): one is Row => typeof one === 'object' && one !== null);
  if (rest.length === 0) return holders.filter((holder) => Object.hasOwn(holder, first));
  // Criteria are an object by name.
  const within = holders.flatMap((holder) =>
    first === 'report' ? Object.values(holder[first] as Row) : (holder[first] as unknown[]),
  );
  return holdersOf(within, rest);
}

interface Mutation {
  readonly dataset: string;
  readonly kind: 'rename' | 'add' | 'drop' | 'retype' | 'nest' | 'value';
  readonly path: string;
}

/** What a mutation must be called. */
function namesOf({ kind, path }: Mutation): { readonly unknown?: string; readonly missing?: string } {
  const parent = path
    .split('.')
    .slice(0, -1)
    .map((name) => `${name}.`)
    .join('');
  if (kind === 'rename') return { unknown: `${path}_v2`, missing: path };
  if (kind === 'add') return { unknown: `${parent}reasoning_tokens` };
  if (kind === 'drop') return { missing: path };
  if (kind === 'nest') return { unknown: `${parent}usage`, missing: path };
  return { unknown: kind === 'value' ? `${path} (new value)` : path };
}

function mutate(elements: readonly Row[], { kind, path }: Mutation): void {
  const name = path.split('.').at(-1) ?? '';
  for (const holder of holdersOf(elements, path.split('.'))) {
    const value = holder[name];
    if (kind === 'add') holder['reasoning_tokens'] = 5;
    else if (kind === 'retype') holder[name] = typeof value === 'object' && value !== null ? 7 : { value };
    else if (kind === 'value')
      holder[name] = typeof value === 'string' ? 'turbo' : { ...(value as object), turbo: 1 };
    else delete holder[name];
    if (kind === 'rename') holder[`${name}_v2`] = value;
    if (kind === 'nest') holder['usage'] = { [name]: value };
  }
}

const VALUES: readonly (readonly [string, string])[] = [
  ['tokens', 'by_model.model_tier'],
  ['tools', 'tool_autonomy_level_ratio'],
  ['activity', 'daily_active_users_by_client'],
  ['users', 'primary_model_tier'],
  ['users', 'delegation_level'],
  ['readiness', 'modelUsed.reasoningEffort'],
];

/** The paths that the schema of a dataset reads, from what it knows of rows that have all of them. */
async function pathsOf(dataset: string, elements: readonly Row[]): Promise<readonly string[]> {
  const watch = new FieldWatch();
  watch.compare(
    await contractOf(dataset),
    elements.map((element) => ({ date: NEWEST, ...element })),
  );
  const paths = [...watch.seen()].flatMap(([path, { last }]) => (last === undefined ? [] : [path]));
  return paths.filter((path) => path !== 'date').sort();
}

const answered = new Map<string, Row[]>();

/** What the simulated platform answers, which is the same each time: it is asked once for each week, and for documents once. */
const ask: Ask = async (dataset, from, to) => {
  if (!isDayCollector(collectorOf(dataset))) {
    const documents = answered.get(dataset) ?? [...(await platform.ask(dataset, from, to))];
    answered.set(dataset, documents);
    return documents;
  }
  const rows: Row[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) {
    if (!answered.has(`${dataset} ${day}`)) await askWeek(dataset, day);
    rows.push(...(answered.get(`${dataset} ${day}`) ?? []));
  }
  return rows;
};

async function askWeek(dataset: string, first: Day): Promise<void> {
  const last = [addDays(first, 6), NEWEST].sort()[0] as Day;
  const byDay = Map.groupBy(await platform.ask(dataset, first, last), (row) => row['date']);
  for (const day of daysFrom(first, last)) answered.set(`${dataset} ${day}`, byDay.get(day) ?? []);
}

let platform: Awaited<ReturnType<typeof simulated>>;
beforeAll(async () => {
  platform = await simulated(NEWEST);
});
afterAll(() => platform.close());

/** Days on which people worked, newest last. */
async function activeDays(count: number): Promise<readonly Day[]> {
  const rows = await platform.ask('tokens', addDays(NEWEST, -110), NEWEST);
  const active = rows.filter((row) => Number(row['billable_tokens']) > 0).map((row) => row['date'] as Day);
  return active.sort().slice(-count);
}

describe('a change of the answers', () => {
  test(`is named with dataset and field: ${MUTATIONS} mutations of what the schemas read`, async () => {
    const days = await activeDays(BEFORE + 40);
    const mutations: Mutation[] = VALUES.map(([dataset, path]) => ({ dataset, kind: 'value', path }));
    const random = createRandom(39);
    const paths = new Map<string, readonly string[]>();
    for (const { name } of fetching)
      paths.set(
        name,
        await pathsOf(name, await platform.ask(name, days.at(-1) ?? NEWEST, days.at(-1) ?? NEWEST)),
      );
    while (mutations.length < MUTATIONS) {
      const collector = drawn(fetching as unknown as [(typeof fetching)[number]], random);
      // Documents have no days on which a field could be missing.
      const kinds = isDayCollector(collector) ? KINDS : KINDS_OF_DOCUMENTS;
      const path = drawn(paths.get(collector.name) as unknown as [string], random);
      const mutation = { dataset: collector.name, kind: drawn(kinds, random), path };
      if (!mutations.some((one) => JSON.stringify(one) === JSON.stringify(mutation)))
        mutations.push(mutation);
    }
    for (const mutation of mutations) {
      const seen = await observer(mutation.dataset);
      const { unknown, missing } = namesOf(mutation);
      for (const [index, day] of days.entries()) {
        let elements = await ask(mutation.dataset, addDays(day, -2), day);
        if (index >= BEFORE) {
          elements = structuredClone(elements);
          mutate(elements, mutation);
        }
        seen.poll(elements);
        if (index === BEFORE - 1) expect([...seen.unknown, ...seen.missing]).toEqual([]);
        if (
          index === BEFORE + 6 &&
          missing !== undefined &&
          !missing.includes('.') &&
          isDayCollector(collectorOf(mutation.dataset))
        )
          expect(seen.missing, JSON.stringify(mutation)).toContain(missing);
        if (index === BEFORE && unknown !== undefined)
          expect(seen.unknown, JSON.stringify(mutation)).toContain(unknown);
      }
      // Of a list that is often empty, active days are those on which it is not.
      const isDays = isDayCollector(collectorOf(mutation.dataset));
      if (missing !== undefined && isDays) expect(seen.missing, JSON.stringify(mutation)).toContain(missing);
    }
  });
});

/** Changes of a value that its schema cannot read; undefined if the value is already of that form. */
const FORMS: Readonly<Record<string, (value: unknown) => unknown>> = {
  'an object': (value) => (typeof value === 'object' ? undefined : { value }),
  'a list': (value) => (Array.isArray(value) ? undefined : [value]),
  'a list of other things': (value) => (Array.isArray(value) ? [7] : undefined),
  'an object by name': (value) => (Array.isArray(value) ? { a: value[0] } : undefined),
  'a sentence': (value) => (typeof value === 'number' ? `some ${value}` : undefined),
  'a negative number': (value) => (typeof value === 'string' ? undefined : -1),
};

/** Gives a field another form; returns whether any element had it. */
function reform(elements: readonly Row[], path: string, form: (value: unknown) => unknown): boolean {
  const name = path.split('.').at(-1) ?? '';
  let isReformed = false;
  for (const holder of holdersOf(elements, path.split('.'))) {
    const { [name]: value } = holder;
    const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
    const other = isEmpty ? undefined : form(value);
    if (other !== undefined) [holder[name], isReformed] = [other, true];
  }
  return isReformed;
}

test.each(fetching)(
  'a form that changes from one day or document on is named by two: $name',
  async (collector) => {
    const { name: dataset } = collector;
    const isDays = isDayCollector(collector);
    const days = await activeDays(20);
    const first = await ask(dataset, days[0] ?? NEWEST, days[0] ?? NEWEST);
    const added = await Promise.all(
      days.slice(1).map(async (day, index) => {
        if (isDays) return ask(dataset, day, day);
        return [{ ...first[0], createdAt: startOf(addDays(NEWEST, 2 + index)) }];
      }),
    );
    const paths = await pathsOf(dataset, [first, ...added].flat());
    const told: string[] = [];
    for (const path of isDays ? ['date', ...paths] : paths) {
      for (const [kind, form] of Object.entries(FORMS)) {
        const seen = await observer(dataset);
        let answers = [...first];
        let changed = 0;
        for (const [index, rows] of added.entries()) {
          const news = structuredClone(rows);
          if (index >= 3 && reform(news, path, form)) changed += 1;
          answers = [...news, ...answers];
          seen.poll(isDays ? answers.slice(0, 7 * rows.length) : answers);
          if (changed === 0) expect([...seen.unknown]).toEqual([]);
          if (changed < 2) continue;
          expect([...seen.unknown], `${path} as ${kind}`).toEqual([path]);
          told.push(path);
          break;
        }
      }
    }
    expect(new Set(told)).toEqual(new Set(isDays ? ['date', ...paths] : paths));
  },
);

const KINDS = ['rename', 'add', 'drop', 'retype', 'nest'] as const;
const KINDS_OF_DOCUMENTS = ['add', 'retype'] as const;

/** Polls day by day, with idle weeks, late days and revised ones. */
async function pollDays(
  dataset: string,
  ask: Ask,
  random: Random,
): Promise<Awaited<ReturnType<typeof observer>>> {
  const seen = await observer(dataset);
  const first = addDays(NEWEST, 1 - UNCHANGED_DAYS);
  const late = new Set<Day>();
  // Documents are the same on each of them.
  const step = ['readiness', 'wiki'].includes(dataset) ? 50 : 1;
  for (let day = first; day <= NEWEST; day = addDays(day, step)) {
    if (random() < 0.1) late.add(day);
    const from = addDays(day, random() < 0.3 ? -6 : 0) as Day;
    const rows = await ask(dataset, from < first ? first : from, day);
    const isQuiet = (of: Row) => Math.floor(startOf(of['date'] as Day) / (7 * 86_400_000)) % 6 === 0;
    seen.poll(
      rows
        .filter((row) => !late.has(row['date'] as Day) || row['date'] !== day)
        .map((row) => ('date' in row && isQuiet(row) ? idle(row) : row)),
    );
  }
  return seen;
}

describe(`${UNCHANGED_DAYS} days on which the platform changes nothing`, () => {
  test.each(fetching.map(({ name }) => name))(
    'of the simulated platform have no false one: %s',
    async (dataset) => {
      const seen = await pollDays(dataset, ask, createRandom(1));
      expect([...seen.unknown, ...seen.missing]).toEqual([]);
    },
  );

  test.each(fetching.filter(isDayCollector).map(({ name }) => name))(
    'of a platform that follows the description alone have no false one: %s',
    async (dataset) => {
      const random = createRandom(2);
      const world = described(random);
      const all: Ask = async (name, from, to) => {
        const rows: Row[] = [];
        for (let day = from; day <= to; day = addDays(day, 1)) rows.push(...world(name, day));
        return rows;
      };
      const seen = await pollDays(dataset, all, random);
      expect([...seen.unknown, ...seen.missing]).toEqual([]);
    },
  );
});

test('a name that may be data is not repeated', async () => {
  const seen = await observer('tokens');
  const names = ['ann@example.com', 'fk_1234567890', 'a\nb', 'x'.repeat(60), 'user_1234567'];
  seen.poll([
    JSON.parse(JSON.stringify({ date: dayOf(0), ...Object.fromEntries(names.map((name) => [name, 1])) })),
  ]);
  expect([...seen.unknown]).toEqual(['(not a plain name)']);
});

test('an answer with any number of names is told of by fifty', async () => {
  const seen = await observer('tokens');
  const names = Array.from({ length: 100_000 }, (_, index) => [
    `n${index % 1000}_${Math.floor(index / 1000)}`,
    1,
  ]);
  seen.poll([{ date: dayOf(0), ...Object.fromEntries(names) }]);
  expect(seen.unknown.size).toBe(50);
});
