import { describe, expect, test } from 'vitest';
import type { Collector, DayCollector } from '../../src/catalog/collector.ts';
import { dayDatasetOf } from '../../src/catalog/collector.ts';
import { addDays, type Day } from '../../src/catalog/day.ts';
import type { OrgSettings, PeopleSettings } from '../../src/catalog/settings.ts';
import { activityCollector } from '../../src/collectors/activity/collector.ts';
import { productivityCollector } from '../../src/collectors/productivity/collector.ts';
import { spendCollector } from '../../src/collectors/spend/collector.ts';
import { tokensCollector } from '../../src/collectors/tokens/collector.ts';
import { toolsCollector } from '../../src/collectors/tools/collector.ts';
import { usersCollector } from '../../src/collectors/users/collector.ts';
import { measureCardinality, projectFamily } from '../../src/pipeline/cardinality.ts';
import { reader as usersReader } from '../../src/platforms/agent-platform/users.ts';
import {
  analytics,
  createFakeSource,
  createFakeView,
  DAY,
  fetchRows,
  inSlices,
  stored,
} from '../collectors/fakes.ts';
import { createPagedSource, pageOf, person, teamsById } from '../collectors/users/people.ts';
import { fetchDays } from '../support/readers.ts';

const EVE = addDays(DAY, -1);

interface Published {
  /** How many values of a label are kept. */
  readonly limit?: number;
  readonly people?: PeopleSettings;
}

/** What a collector publishes of stored rows for `DAY`, as `family{values}`, after folding and with zeros. */
async function publishedOf(
  collector: Collector,
  rows: ReadonlyMap<Day, unknown>,
  { limit = 200, people }: Published = {},
): Promise<Readonly<Record<string, number>>> {
  const dataset = dayDatasetOf(collector);
  const view = createFakeView({ rows, people });
  const cardinality = await inSlices(measureCardinality(collector.families, dataset, view, () => limit));
  const published: Record<string, number> = {};
  for (const measured of cardinality.families) {
    for (const { labels, value } of projectFamily(measured, cardinality.kept, dataset, view)) {
      const values = measured.family.labels.map((label) => labels[label]);
      published[`${measured.family.name.replace('agent_platform_', '')}{${values.join()}}`] = value;
    }
  }
  return published;
}

async function publishedFrom<Row>(
  collector: DayCollector<Row>,
  days: readonly object[],
  options?: Published,
): Promise<Readonly<Record<string, number>>> {
  return publishedOf(collector, stored((await fetchRows(collector, days)).rows), options);
}

/** The figures of a family, by label values. */
function only(published: Readonly<Record<string, number>>, family: string): Readonly<Record<string, number>> {
  const own = Object.entries(published).filter(([key]) => key.startsWith(`${family}{`));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(family.length + 1, -1), value]));
}

describe('a merged label value of which a part was unusable is absent, and its neighbours stay', () => {
  test('an MCP server in another letter case', async () => {
    const published = await publishedFrom(toolsCollector, [
      {
        date: DAY,
        mcp_by_server: [
          { server: 'GitHub', invocations: 44 },
          { server: 'github', invocations: 'many' },
          { server: 'linear', invocations: 3 },
        ],
      },
    ]);
    expect(only(published, 'daily_mcp_calls_by_server')).toEqual({ linear: 3 });
  });

  test('the invalid tool names, one of which has no usable count or is no text', async () => {
    for (const bad of [{ tool: 'a\nb', invocations: -1 }, { tool: 5, invocations: 20 }, null]) {
      const by_tool = [{ tool: '', invocations: 30 }, bad, { tool: 'Read', invocations: 1 }];
      const published = await publishedFrom(toolsCollector, [{ date: DAY, by_tool }]);
      expect(only(published, 'daily_tool_calls_by_tool'), JSON.stringify(bad)).toEqual({ Read: 1 });
    }
  });

  test('an event of hooks, of which one has no usable count or matcher', async () => {
    const good = [
      { event: 'Stop', matcher: '', command: 'a', count: 7 },
      { event: 'Stop', matcher: 'Edit', command: 'b', count: 2 },
      { event: 'PreToolUse', count: 1 },
    ];
    const count = { event: 'Stop', command: 'c', count: 'x' };
    const one = await publishedFrom(toolsCollector, [{ date: DAY, hooks_by_event: [...good, count] }]);
    expect(only(one, 'daily_hook_invocations_by_event')).toEqual({ 'PreToolUse,': 1, 'Stop,Edit': 2 });
    const matcher = { event: 'Stop', matcher: 5, count: 10 };
    const other = await publishedFrom(toolsCollector, [{ date: DAY, hooks_by_event: [...good, matcher] }]);
    expect(only(other, 'daily_hook_invocations_by_event')).toEqual({ 'PreToolUse,': 1 });
  });

  test('a client, a language', async () => {
    const clients = JSON.parse('{"cli": 3, "web": "x"}');
    const activity = await publishedFrom(activityCollector, [
      { date: DAY, daily_active_users_by_client: clients },
    ]);
    expect(only(activity, 'daily_active_users_by_client')).toEqual({ cli: 3 });
    const by_language = [{ language: 'Go', count: 1 }, { count: 2 }, { language: null, count: {} }];
    const productivity = await publishedFrom(productivityCollector, [{ date: DAY, by_language }]);
    expect(only(productivity, 'daily_file_operations_by_language')).toEqual({ Go: 1 });
  });

  test('a model in two entries, and what belongs to no model', async () => {
    const by_model = [
      { model_id: 'a', model_tier: 's', billable_tokens: 250, input_tokens: 1 },
      { model_id: 'a', model_tier: 's', billable_tokens: 'x', input_tokens: 2 },
      { model_id: 'b', model_tier: 's', billable_tokens: 100, input_tokens: null },
    ];
    const by_user = [{ billable_tokens: 600 }, { billable_tokens: null }];
    const published = await publishedFrom(tokensCollector, [
      { date: DAY, billable_tokens: 700, by_model, by_user },
    ]);
    expect(only(published, 'daily_credits_by_model')).toEqual({ 'b,s': 100 });
    expect(only(published, 'daily_tokens_by_model')).toEqual({ 'a,s,input': 3 });
    expect(only(published, 'daily_credits_unattributed')).toEqual({});
  });

  test('a model of group_by=model', async () => {
    const source = createFakeSource({
      get: ({ query }) =>
        query['group_by'] === undefined
          ? analytics({ date: DAY, billable_tokens: 9 })
          : analytics(
              { date: DAY, group_key: 'a', billable_tokens: 'x' },
              { date: DAY, group_key: 'b', billable_tokens: 4 },
              { date: DAY, group_key: 'b', billable_tokens: 4 },
            ),
    });
    const { rows } = await fetchDays(tokensCollector, source, { from: DAY, to: DAY });
    const published = await publishedOf(tokensCollector, stored(rows));
    // Identical groups are one.
    expect(only(published, 'daily_credits_by_model')).toEqual({ 'b,unknown': 4 });
  });

  test('a person with two accounts', async () => {
    const people = [
      person('x-1', { user_email: 'ann@acme.example', sessions: 4 }),
      person('x-2', { user_email: 'ann@acme.example', sessions: 'y' }),
      person('x-3', { user_email: 'bob@acme.example', sessions: 2, billable_tokens: 1 }),
    ];
    const settings = teamsById({ identity: 'email', labelOf: ({ email }) => email });
    const source = createPagedSource(() => pageOf(people));
    const { rows } = await usersReader.fetchDays(source, { from: DAY, to: DAY }, settingsWith(settings));
    const published = await publishedOf(usersCollector, rows, { people: settings });
    expect(only(published, 'daily_sessions_by_user')).toEqual({ 'bob@acme.example': 2 });
    const folded = await publishedOf(usersCollector, rows, { people: settings, limit: 1 });
    expect(only(folded, 'daily_sessions_by_user')).toEqual({ 'bob@acme.example': 2 });
  });
});

describe('the rest beyond a limit of values', () => {
  const row = (...counts: readonly unknown[]) => ({
    date: DAY,
    by_language: counts.map((count, index) => ({ language: `l${index}`, count })),
  });

  test('is absent where an unusable value is in it', async () => {
    const published = await publishedFrom(productivityCollector, [row(100, 10, 'x')], { limit: 1 });
    expect(only(published, 'daily_file_operations_by_language')).toEqual({ l0: 100 });
  });

  test('is absent where an element without a usable name may be in it', async () => {
    const { date, by_language } = row(100, 10);
    const data = { date, by_language: [...by_language, { language: 5, count: 15 }] };
    const published = await publishedFrom(productivityCollector, [data], { limit: 1 });
    expect(only(published, 'daily_file_operations_by_language')).toEqual({ l0: 100 });
  });

  test('is absent by each of its other labels where an element without a usable name may be in it', async () => {
    const hooks_by_event = [
      { event: 'Stop', matcher: 'Edit', count: 100 },
      { event: 'SubagentStop', matcher: 'Edit', count: 10 },
      { event: 5, matcher: 'Edit', count: 15 },
    ];
    const published = await publishedFrom(toolsCollector, [{ date: DAY, hooks_by_event }], { limit: 1 });
    expect(only(published, 'daily_hook_invocations_by_event')).toEqual({ 'Stop,Edit': 100 });
  });

  test('is there where all of it was usable, whatever else was not', async () => {
    const data = { ...row(100, 10, 15), files_created: 'x' };
    const published = await publishedFrom(productivityCollector, [data], { limit: 1 });
    expect(only(published, 'daily_file_operations_by_language')).toEqual({ l0: 100, other: 25 });
  });

  test('is absent beyond the number of parts that are stored', async () => {
    const counts = Array.from({ length: 5_001 }, (_, index) => (index === 7 ? 'x' : index + 1));
    const { rows } = await fetchRows(productivityCollector, [row(...counts)]);
    const others = rows.get(DAY)?.byLanguage?.filter(({ name }) => name === 'other');
    expect(others).toEqual([{ name: 'other', count: null }]);
  });
});

describe('an unusable value of a label', () => {
  const day = (date: Day, count: unknown) => ({ date, by_language: [{ language: 'Go', count }] });

  test('is not 0 on its day, and on the next day 0 only if another day had it', async () => {
    const go = 'daily_file_operations_by_language';
    const before = await publishedFrom(productivityCollector, [day(EVE, 3), day(DAY, 'x')]);
    expect(only(before, go)).toEqual({});
    const none = { date: DAY, by_language: [] };
    expect(only(await publishedFrom(productivityCollector, [day(EVE, 3), none]), go)).toEqual({ Go: 0 });
    expect(only(await publishedFrom(productivityCollector, [day(EVE, 'x'), none]), go)).toEqual({});
    const nameless = { date: EVE, by_language: [{ language: 5, count: 1 }] };
    expect(only(await publishedFrom(productivityCollector, [nameless, none]), go)).toEqual({});
  });
});

describe('shares of models', () => {
  const SHARE = 'credits_share_by_model';
  const BASELINE = 'credits_share_by_model_baseline';
  const whole = { a: 600 as unknown, b: 400 as unknown };

  async function shares(days: readonly (readonly unknown[])[]) {
    const rows = new Map<Day, unknown>();
    for (const [index, by_model] of days.entries()) {
      const date = addDays(DAY, index - days.length + 1);
      const data = [{ date, billable_tokens: 1_000, by_model }];
      for (const [day, row] of stored(
        (await fetchRows(tokensCollector, data, { from: date, to: date })).rows,
      )) {
        rows.set(day, row);
      }
    }
    return publishedOf(spendCollector, rows);
  }

  const models = (credits: Readonly<Record<string, unknown>>) =>
    Object.entries(credits).map(([model_id, billable_tokens]) => ({
      model_id,
      model_tier: 's',
      billable_tokens,
    }));
  const weeks = Array.from({ length: 14 }, () => models(whole));

  test('are whole where all credits are usable', async () => {
    const published = await shares([...weeks, models(whole)]);
    expect(only(published, SHARE)).toEqual({ 'a,s': 0.6, 'b,s': 0.4 });
    expect(only(published, BASELINE)).toEqual({ 'a,s': 0.6, 'b,s': 0.4 });
  });

  test('are absent for the model whose credits are unusable on the day', async () => {
    const published = await shares([...weeks, models({ ...whole, a: 'x' })]);
    expect(only(published, SHARE)).toEqual({ 'b,s': 0.4 });
    expect(only(published, BASELINE)).toEqual({ 'a,s': 0.6, 'b,s': 0.4 });
  });

  test('are absent for the model whose credits are unusable on a day before', async () => {
    const published = await shares([...weeks.slice(1), models({ ...whole, a: -1 }), models(whole)]);
    expect(only(published, SHARE)).toEqual({ 'a,s': 0.6, 'b,s': 0.4 });
    expect(only(published, BASELINE)).toEqual({ 'b,s': 0.4 });
  });

  test('are absent for models that a day lists no credits of, where some have no usable name', async () => {
    const nameless = { model_id: 5, model_tier: 's', billable_tokens: 600 };
    const published = await shares([...weeks, [...models({ b: 400 }), nameless]]);
    expect(only(published, SHARE)).toEqual({ 'b,s': 0.4 });
    const before = await shares([...weeks.slice(1), [...models({ b: 400 }), nameless], models(whole)]);
    expect(only(before, BASELINE)).toEqual({ 'b,s': 0.4 });
  });
});

test('an unusable tier leaves the other entries of its model unknown, and is as good as none for a model alone', async () => {
  const entry = (model_id: string, model_tier: unknown, billable_tokens: number) => ({
    ...{ model_id, model_tier, billable_tokens },
  });
  const published = await publishedFrom(tokensCollector, [
    { date: EVE, billable_tokens: 5, by_model: [entry('b', 's', 5)] },
    {
      date: DAY,
      billable_tokens: 180,
      by_model: [entry('a', 's', 100), entry('a', 5, 50), entry('b', {}, 20), entry('c', 't', 10)],
    },
  ]);
  expect(only(published, 'daily_credits_by_model')).toEqual({ 'b,s': 20, 'c,t': 10 });
});

describe('a tier that is learnt later', () => {
  const day = (date: Day, model_tier: string | null) => ({
    date,
    billable_tokens: 5,
    by_model: [{ model_id: 'a', model_tier, billable_tokens: 5 }],
  });

  test('names the model’s earlier days too, so that no tier that never was is 0', async () => {
    const published = await publishedFrom(tokensCollector, [
      day(addDays(DAY, -2), null),
      day(EVE, null),
      day(DAY, 'premium'),
    ]);
    expect(only(published, 'daily_credits_by_model')).toEqual({ 'a,premium': 5 });
  });

  test('is the last known one where there is any, and unknown where there is none', async () => {
    const { rows } = await fetchRows(tokensCollector, [day(addDays(DAY, -2), 'old'), day(EVE, null)]);
    const later = await fetchRows(tokensCollector, [day(DAY, 'new')]);
    const view = createFakeView({ rows: stored(new Map([...rows, ...later.rows])) });
    const [family] = tokensCollector.families.filter(({ name }) => name.endsWith('daily_credits_by_model'));
    if (family?.scope !== 'day') throw new Error('no such family');
    expect([...(family.samplesOf(view, EVE) ?? [])]).toEqual([
      { labels: { model: 'a', tier: 'old' }, value: 5 },
    ]);
    const alone = await publishedFrom(tokensCollector, [day(DAY, null)]);
    expect(only(alone, 'daily_credits_by_model')).toEqual({ 'a,unknown': 5 });
  });
});

function settingsWith(people: PeopleSettings): OrgSettings {
  const readiness = { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: true } as const;
  return { name: 'acme', readiness, people };
}
