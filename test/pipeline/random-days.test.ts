import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDayCollector } from '../../src/catalog/collector.ts';
import { addDays, type Day, daysFrom, startOf } from '../../src/catalog/day.ts';
import type { Sample } from '../../src/catalog/family.ts';
import type { Source } from '../../src/catalog/source.ts';
import { activityCollector } from '../../src/collectors/activity/collector.ts';
import { productivityCollector } from '../../src/collectors/productivity/collector.ts';
import { spendCollector } from '../../src/collectors/spend/collector.ts';
import { tokensCollector } from '../../src/collectors/tokens/collector.ts';
import { toolsCollector } from '../../src/collectors/tools/collector.ts';
import { Coverage } from '../../src/pipeline/coverage.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createPipeline, type Shown } from '../support/pipeline.ts';
import { createMemoryStore } from '../support/store.ts';
import { hasAllRuns } from '../support/thoroughness.ts';
import { createReference, isUsable, type Part, type Raw, type Reference, sumsOf } from './reference.ts';

const FIRST = dayNamed('2026-02-20');
const DAYS = 20;
const HOUR = 3_600_000;
/** So few values of a label are kept that most breakdowns have an `other`. */
const KEPT = 2;

const collectors = [
  tokensCollector,
  spendCollector,
  toolsCollector,
  activityCollector,
  productivityCollector,
];
const datasets = collectors.filter(isDayCollector).map(({ dataset }) => dataset);
const names = datasets.map(({ name }) => name);

/** Sums of several of these are seldom equal by chance. */
const amount = fc.integer({ min: 1, max: 2 ** 30 });
const unusable = fc.constantFrom<unknown>('x', -1, true, {}, 2 ** 60);
const number = fc.oneof(
  { weight: 8, arbitrary: amount },
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: unusable },
);
const optional = (value: fc.Arbitrary<unknown>) => fc.option(value, { nil: undefined, freq: 5 });
const named = (field: string, values: readonly unknown[], count: string) =>
  optional(fc.array(fc.record({ [field]: fc.constantFrom(...values), [count]: number }), { maxLength: 6 }));

const rowOf: Readonly<Record<string, fc.Arbitrary<Raw>>> = {
  tokens: fc.record({
    billable_tokens: number,
    input_tokens: number,
    by_model: optional(
      fc.array(
        fc
          .record({ model_id: fc.constantFrom('a', 'b', 'c', 'd', 5), billable_tokens: number })
          .map((one) => ({
            ...one,
            model_tier: 's',
          })),
        { maxLength: 6 },
      ),
    ),
    by_user: optional(fc.array(fc.record({ billable_tokens: number }), { maxLength: 3 })),
  }),
  tools: fc.record({
    tool_calls: number,
    slash_commands_invocations: number,
    by_tool: named('tool', ['Read', 'Edit', 'a\nb', '', 5], 'invocations'),
    mcp_by_server: named('server', ['GitHub', 'github', 'linear', 'jira', null], 'invocations'),
    hooks_by_event: named('event', ['Stop', 'PreToolUse', 'Notification', 5], 'count'),
  }),
  activity: fc.record({ sessions: number, daily_active_users: number, weekly_active_users: amount }),
  productivity: fc.record({
    files_edited: number,
    git_commits: number,
    by_language: named('language', ['Go', 'C', 'TypeScript', '', 5], 'count'),
  }),
};

/** What the platform has of a day, from so many days after its end on. */
interface Version {
  readonly after: number;
  readonly row: Raw;
}

/** The versions of a day's row, and how it is broken, if it is. */
interface PlannedDay {
  readonly versions: readonly Version[];
  /** For so many days, a row that differs or one that is none comes along with it. */
  readonly disturbed: { readonly by: 'double' | 'twin' | 'garbage'; readonly days: number } | undefined;
}

function plannedDay(row: fc.Arbitrary<Raw>): fc.Arbitrary<PlannedDay> {
  const first = fc.constantFrom(0, 0, 0, 0, 1, 2, 4, 6);
  const later = fc.array(fc.record({ after: fc.integer({ min: 1, max: 6 }), row }), { maxLength: 2 });
  const zeros = row.map((one) => zeroOf(one) as Raw);
  const present = fc
    .tuple(first, fc.oneof({ weight: 5, arbitrary: row }, { weight: 1, arbitrary: zeros }), later)
    .map(([after, one, revised]) => [{ after, row: one }, ...revised.filter((other) => other.after > after)]);
  const disturbed = fc.record({
    by: fc.constantFrom('double', 'twin', 'garbage'),
    days: fc.integer({ min: 1, max: 5 }),
  });
  return fc.record({
    versions: fc.oneof(
      { weight: 3, arbitrary: present },
      { weight: 2, arbitrary: fc.constant<readonly Version[]>([]) },
    ),
    disturbed: fc.option(disturbed, { nil: undefined, freq: 8 }),
  }) as fc.Arbitrary<PlannedDay>;
}

/** The same row with every number 0. */
function zeroOf(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (typeof value !== 'object' || value === null) return value === undefined ? value : 0;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, zeroOf(member)]));
}

const planned = Object.fromEntries(
  names.map((name) => [
    name,
    fc.array(plannedDay(rowOf[name] ?? fc.constant({})), { minLength: DAYS, maxLength: DAYS }),
  ]),
) as Record<string, fc.Arbitrary<readonly PlannedDay[]>>;
/** The first day and the length of a quiet week, in which one dataset may have rows all the same. */
const quietWeek = fc.record({
  first: fc.integer({ min: 3, max: DAYS - 4 }),
  days: fc.integer({ min: 2, max: 9 }),
  busy: fc.constantFrom(undefined, undefined, ...names),
});

type World = Readonly<Record<string, readonly PlannedDay[]>>;

const world = fc.tuple(fc.record(planned), quietWeek).map(([days, { first, days: length, busy }]): World => {
  const isQuiet = (index: number) => index >= first && index < first + length;
  const quiet: PlannedDay = { versions: [], disturbed: undefined };
  return Object.fromEntries(
    Object.entries(days).map(([name, own]) => [
      name,
      own.map((day, index) => (name !== busy && isQuiet(index) ? quiet : day)),
    ]),
  );
});

/** The elements that the platform has of some days at an instant. */
function elementsOf(planned: readonly PlannedDay[], days: readonly Day[], now: number): readonly unknown[] {
  return days.flatMap((date): readonly unknown[] => {
    const { versions = [], disturbed } = planned[daysFrom(FIRST, date).length - 1] ?? {};
    const age = (now - startOf(addDays(date, 1))) / (24 * HOUR);
    const row = versions
      .filter(({ after }) => after <= age)
      .toSorted((a, b) => a.after - b.after)
      .at(-1)?.row;
    const sent = row && { date, ...row };
    const isDisturbed = disturbed !== undefined && age < disturbed.days;
    if (isDisturbed && disturbed.by === 'garbage') return sent === undefined ? [null] : [5];
    if (sent === undefined) return [];
    if (isDisturbed)
      return [sent, disturbed.by === 'twin' ? { ...sent } : { date, [`${Object.keys(sent)[1]}`]: 3 }];
    return [sent];
  });
}

function createPlatform(planned: World, reference: Reference, now: () => number): Source {
  return {
    async get({ endpoint, query }) {
      const days = daysFrom(query['startDate'] as Day, query['endDate'] as Day);
      if (query['group_by'] !== undefined) return { body: { data: [] }, bytes: 9 };
      const data = elementsOf(planned[endpoint] ?? [], days, now());
      reference.answered(endpoint, days, data, now());
      return { body: { data: JSON.parse(JSON.stringify(data)), meta: { org_id: 'org-1' } }, bytes: 99 };
    },
    pages: () => Promise.reject(new Error('nothing is paged')),
    lines: () => Promise.reject(new Error('not used')),
    inSlices: () => Promise.reject(new Error('nothing is sliced')),
  };
}

/** The families without labels, or with the same labels always, and the number of the row that each is. */
const NUMBERS: Readonly<Record<string, readonly [dataset: string, field: string, labels?: object]>> = {
  daily_credits: ['tokens', 'billable_tokens'],
  daily_tokens: ['tokens', 'input_tokens', { kind: 'input' }],
  daily_tool_calls: ['tools', 'tool_calls'],
  daily_slash_command_invocations: ['tools', 'slash_commands_invocations'],
  daily_sessions: ['activity', 'sessions'],
  daily_active_users: ['activity', 'daily_active_users'],
  daily_files: ['productivity', 'files_edited', { action: 'edited' }],
  daily_git_commits: ['productivity', 'git_commits'],
};

/** A breakdown's dataset and field, and the label and amount of each of its elements. */
interface Breakdown {
  readonly dataset: string;
  readonly field: string;
  /** The label by which a series is told from another one. */
  readonly label: string;
  partOf(element: Raw): Part;
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
const BREAKDOWNS: Readonly<Record<string, Breakdown>> = {
  daily_credits_by_model: {
    ...{ dataset: 'tokens', field: 'by_model', label: 'model' },
    partOf: ({ model_id, billable_tokens }) => ({ label: text(model_id), amount: billable_tokens }),
  },
  daily_tool_calls_by_tool: {
    ...{ dataset: 'tools', field: 'by_tool', label: 'tool' },
    partOf: ({ tool, invocations }) => {
      const name = text(tool);
      if (typeof tool !== 'string') return { label: 'invalid', amount: undefined };
      return { label: name === undefined || name.includes('\n') ? 'invalid' : name, amount: invocations };
    },
  },
  daily_mcp_calls_by_server: {
    ...{ dataset: 'tools', field: 'mcp_by_server', label: 'server' },
    partOf: ({ server, invocations }) => ({ label: text(server)?.toLowerCase(), amount: invocations }),
  },
  daily_hook_invocations_by_event: {
    ...{ dataset: 'tools', field: 'hooks_by_event', label: 'event' },
    partOf: ({ event, count }) => ({ label: text(event), amount: count }),
  },
  daily_file_operations_by_language: {
    ...{ dataset: 'productivity', field: 'by_language', label: 'language' },
    partOf: ({ language, count }) => ({
      label: typeof language === 'string' ? language : undefined,
      amount: count,
    }),
  },
};

type Checked = Record<'idle' | 'numbers' | 'sums' | 'others' | 'months' | 'shares' | 'states', number>;

/** Fails unless everything on a page follows from what the platform has answered. */
function check(page: Shown, reference: Reference, newest: Day, checked: Checked): void {
  const days = new Map(
    (page.get('data_day_timestamp_seconds') ?? []).map(({ labels, value }) => [
      labels['dataset'] ?? '',
      addDays(FIRST, Math.round((value * 1000 - startOf(FIRST)) / (24 * HOUR))),
    ]),
  );
  for (const [dataset, day] of days) {
    if (reference.hasRow(dataset, day)) continue;
    expect(reference.isIdle(dataset, day, 'known'), `${dataset} of ${day} is idle`).toBe(true);
    checked.idle += 1;
  }
  for (const { labels, value } of page.get('history_uncovered') ?? []) {
    const dataset = labels['dataset'] ?? '';
    const unknown = daysFrom(FIRST, newest).filter(
      (day) => !reference.hasRow(dataset, day) && !reference.isIdle(dataset, day, 'known'),
    );
    if (days.has(dataset))
      expect(value, `unknown days of ${dataset} at ${newest}: ${unknown.join()}`).toBeGreaterThanOrEqual(
        unknown.length,
      );
  }
  for (const [family, [dataset, field, only = {}]] of Object.entries(NUMBERS)) {
    const day = days.get(dataset);
    const own = (page.get(family) ?? []).filter(({ labels }) =>
      Object.entries(only).every(([name, value]) => labels[name] === value),
    );
    const value = day && reference.number(dataset, day, field);
    expect(
      own.map((sample) => sample.value),
      `${family} of ${day}`,
    ).toEqual(value === undefined ? [] : [value]);
    if (value !== undefined) checked.numbers += 1;
  }
  for (const [family, breakdown] of Object.entries(BREAKDOWNS)) {
    const day = days.get(breakdown.dataset);
    if (day !== undefined) checkSums(page.get(family) ?? [], breakdown, reference, day, checked);
  }
  checkCredits(page, reference, days.get('tokens'), checked);
}

/** Each sum is that of one of the day's answers, and of all its parts. */
function checkSums(
  samples: readonly Sample[],
  { dataset, field, label, partOf }: Breakdown,
  reference: Reference,
  day: Day,
  checked: Checked,
): void {
  const answers = reference.rowsOf(dataset, day).flatMap((row) => {
    const list = row[field];
    return Array.isArray(list) ? [list.map((element: Raw) => partOf(element))] : [];
  });
  const shown = new Map(samples.map(({ labels, value }) => [labels[label] ?? '', value]));
  for (const [name, value] of shown) {
    if (name === 'other') continue;
    const isRight = answers.some((parts) => {
      const sums = sumsOf(parts);
      const isZero = value === 0 && !sums.has(name) && parts.every(({ amount }) => isUsable(amount));
      return sums.get(name) === value || isZero;
    });
    if (!isRight)
      throw new Error(`${dataset}.${field} of ${day}: ${name} is ${value}, ${JSON.stringify(answers)}`);
    checked.sums += 1;
  }
  const other = shown.get('other');
  if (other === undefined || other === 0) return;
  // All that is in it was usable, and named.
  const isWhole = answers.some((parts) => {
    const rest = parts.filter((part) => part.label === undefined || !shown.has(part.label));
    const isNamed = rest.every((part) => part.label !== undefined && isUsable(part.amount));
    return isNamed && rest.reduce((sum, part) => sum + Number(part.amount), 0) === other;
  });
  if (!isWhole)
    throw new Error(`${dataset}.${field} of ${day}: other is ${other}, ${JSON.stringify(answers)}`);
  checked.others += 1;
}

/** Sums over days have every day, and shares are those of whole sums. */
function checkCredits(page: Shown, reference: Reference, day: Day | undefined, checked: Checked): void {
  if (day === undefined) return;
  const spans = {
    credits_month_to_date: daysFrom(dayNamed(`${day.slice(0, 7)}-01`), day),
    credits_trailing_7d: daysFrom(addDays(day, -6), day),
  };
  for (const [family, span] of Object.entries(spans)) {
    const [sum] = page.get(family) ?? [];
    if (sum === undefined) continue;
    const credits = span.map((of) => reference.number('tokens', of, 'billable_tokens'));
    expect(credits, `${family} of ${day}`).not.toContain(undefined);
    expect(sum.value, `${family} of ${day}`).toBe(credits.reduce<number>((all, one) => all + (one ?? 0), 0));
    checked.months += 1;
  }
  for (const { labels, value } of page.get('credits_share_by_model') ?? []) {
    const isRight = reference.rowsOf('tokens', day).some((row) => {
      const [total, list] = [row['billable_tokens'], row['by_model']];
      if (!isUsable(total) || !Array.isArray(list)) return false;
      const parts = list.map((one: Raw) => ({
        label: text(one['model_id']),
        amount: one['billable_tokens'],
      }));
      const sums = sumsOf(parts);
      const isMissing = !sums.has(labels['model'] ?? '') && parts.every((part) => part.label !== undefined);
      return (
        sums.get(labels['model'] ?? '') === value * total || (isMissing && value === 0) || isNear(sums, total)
      );
    });
    function isNear(sums: ReadonlyMap<string, number | undefined>, total: number): boolean {
      const credits = sums.get(labels['model'] ?? '');
      return credits !== undefined && Math.abs(credits / total - value) < 1e-12;
    }
    expect(isRight, `share of ${labels['model']} on ${day} is ${value}`).toBe(true);
    checked.shares += 1;
  }
}

test('whatever comes late, revised or unusable: no work is idle, no sum is partial, and totals are the newest', async () => {
  const checked: Checked = { idle: 0, numbers: 0, sums: 0, others: 0, months: 0, shares: 0, states: 0 };
  await fc.assert(
    fc.asyncProperty(world, async (planned) => {
      const clock = createFakeClock(startOf(addDays(FIRST, 1)) + HOUR);
      const history = createMemoryStore();
      const reference = createReference(names);
      let page: Shown = new Map();
      const { poll } = createPipeline({
        ...{ collectors, history, clock, historyStart: FIRST, valuesPerLabel: KEPT },
        settings: {
          name: 'acme',
          readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: false },
        },
        source: createPlatform(planned, reference, clock.now),
        onPage(shown) {
          page = shown;
        },
      });
      for (let index = 0; index < DAYS; index++) {
        await poll();
        check(page, reference, addDays(FIRST, index), checked);
        clock.set(clock.now() + 24 * HOUR);
      }
      // What a backfill would write: nothing that is only provisional.
      const knownAt = clock.now() - 24 * HOUR;
      const parts = { history: await history.read('acme'), datasets, historyStart: FIRST };
      const coverage = new Coverage(parts, knownAt);
      for (const name of names) {
        for (const day of daysFrom(FIRST, addDays(FIRST, DAYS - 1))) {
          const state = coverage.stateOf(name, day);
          if (state === 'row') expect(reference.hasRow(name, day)).toBe(true);
          if (state === 'idle') expect(reference.isIdle(name, day, 'final'), `${name} of ${day}`).toBe(true);
          if (state === 'idle') checked.states += 1;
        }
      }
    }),
    { numRuns: hasAllRuns ? 40 : 4, endOnFailure: true, ...(hasAllRuns ? {} : { seed: 1 }) },
  );
  // The runs of the fixed seed reach every check; random ones may miss a rare one.
  if (!hasAllRuns)
    for (const [what, count] of Object.entries(checked)) expect(count, what).toBeGreaterThan(0);
});
