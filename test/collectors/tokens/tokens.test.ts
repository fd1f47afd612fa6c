import { describe, expect, test } from 'vitest';
import { addDays } from '../../../src/catalog/day.ts';
import type { ApiRequest } from '../../../src/catalog/source.ts';
import { tokensCollector } from '../../../src/collectors/tokens/collector.ts';
import type { TokensRow } from '../../../src/collectors/tokens/dataset.ts';
import { dayNamed } from '../../support/day.ts';
import { fetchDays } from '../../support/readers.ts';
import {
  analytics,
  createFakeSource,
  createFakeView,
  DAY,
  exposedDay,
  expositionOf,
  fetchRows,
  linesOf,
  stored,
} from '../fakes.ts';

const EVE = addDays(DAY, -1);
const window = { from: EVE, to: DAY };

function row(parts: object = {}) {
  return { date: DAY, billable_tokens: 100, by_model: [], ...parts };
}

function exposed(rows: Readonly<Record<string, TokensRow>>) {
  return expositionOf(
    tokensCollector.families,
    createFakeView({ rows: new Map(Object.entries(rows).map(([day, row]) => [dayNamed(day), row])) }),
  );
}

describe('tokens', () => {
  test('become credits and tokens, in total and by model', async () => {
    const lines = await exposedDay(tokensCollector, {
      date: DAY,
      billable_tokens: 100,
      input_tokens: 10,
      output_tokens: 20,
      cache_read_tokens: 30,
      cache_write_tokens: 40,
      by_model: [
        { model_id: 'b', model_tier: 'standard', billable_tokens: 60, input_tokens: 6, output_tokens: 7 },
        { model_id: 'a', model_tier: 'thinking', billable_tokens: 30, input_tokens: 4 },
      ],
      by_user: [
        { user_id: 'u1', user_email: 'ann@example.com', billable_tokens: 90 },
        { user_id: 'u2', user_email: 'bob@example.com', billable_tokens: 20 },
      ],
    });
    expect(lines).toEqual([
      'daily_credits 100',
      'daily_credits_by_model{model="a",tier="thinking"} 30',
      'daily_credits_by_model{model="b",tier="standard"} 60',
      'daily_tokens{kind="input"} 10',
      'daily_tokens{kind="output"} 20',
      'daily_tokens{kind="cache_read"} 30',
      'daily_tokens{kind="cache_write"} 40',
      'daily_tokens_by_model{model="a",tier="thinking",kind="input"} 4',
      'daily_tokens_by_model{model="b",tier="standard",kind="input"} 6',
      'daily_tokens_by_model{model="b",tier="standard",kind="output"} 7',
      'daily_credits_unattributed{breakdown="model"} 10',
      'daily_credits_unattributed{breakdown="user"} -10',
      'daily_cache_read_ratio 3',
      'daily_credits_per_million_tokens 3333333.333333333',
    ]);
  });

  test('keep nothing of the people but the sum of their credits', async () => {
    const { rows } = await fetchRows(tokensCollector, [
      row({ by_user: [{ user_id: 'u1', user_email: 'ann@example.com', billable_tokens: 90, by_model: [] }] }),
    ]);
    expect(stored(rows).get(DAY)).toEqual({ credits: 100, tokens: {}, byModel: [], creditsByUser: 90 });
  });

  test('sum a model that occurs twice in the same tier', async () => {
    const model = { model_id: 'a', model_tier: 'standard', billable_tokens: 20 };
    const lines = await exposedDay(
      tokensCollector,
      row({ by_model: [model, { ...model, input_tokens: 1 }] }),
    );
    expect(lines).toContain('daily_credits_by_model{model="a",tier="standard"} 40');
    expect(lines).toContain('daily_tokens_by_model{model="a",tier="standard",kind="input"} 1');
  });

  test('leave the credits of a nameless model unattributed', async () => {
    const lines = await exposedDay(
      tokensCollector,
      row({
        by_model: [
          { model_id: '', billable_tokens: 20 },
          { model_id: 'a', model_tier: 's', billable_tokens: 70 },
        ],
      }),
    );
    expect(lines).toContain('daily_credits_unattributed{breakdown="model"} 30');
  });

  test('treat a rounding residue as 0', async () => {
    const models = [0.1, 0.2].map((billable_tokens) => ({ model_id: 'a', billable_tokens }));
    const lines = await exposedDay(tokensCollector, row({ billable_tokens: 0.3, by_model: models }));
    expect(lines).toContain('daily_credits_unattributed{breakdown="model"} 0');
  });

  test('have no unattributed credits where the total or the breakdown is missing', async () => {
    expect(await exposedDay(tokensCollector, row({ billable_tokens: null, by_user: [] }))).toEqual([]);
    expect(await exposedDay(tokensCollector, row({ by_model: undefined }))).toEqual(['daily_credits 100']);
  });

  test('have an empty breakdown, not none, where no model was used', () => {
    const view = createFakeView({ rows: new Map([[DAY, { credits: 0, byModel: [] }]]) });
    const byModel = tokensCollector.families.filter((family) => family.scope === 'day' && family.breakdown);
    expect(byModel.map((family) => linesOf(family, view))).toEqual([[], []]);
  });

  test('have no breakdown of a figure that none of the models carries', async () => {
    const view = createFakeView({ rows: new Map([[DAY, { byModel: [{ model: 'a', credits: 1 }] }]]) });
    expect(expositionOf(tokensCollector.families, view)).toEqual([
      'daily_credits_by_model{model="a",tier="unknown"} 1',
    ]);
    const byModel = tokensCollector.families.find(({ name }) => name.endsWith('daily_tokens_by_model'));
    expect(byModel && linesOf(byModel, view)).toBeUndefined();
    const entry = { model: 'a', tier: 's', credits: 1 };
    const some = createFakeView({
      rows: new Map([
        [
          DAY,
          {
            byModel: [
              { ...entry, output: 2 },
              { ...entry, model: 'b' },
            ],
          },
        ],
      ]),
    });
    expect(byModel && linesOf(byModel, some)).toEqual([
      '{model="a",tier="s",kind="input"} NaN',
      '{model="a",tier="s",kind="output"} 2',
      '{model="b",tier="s",kind="input"} NaN',
    ]);
    // As if the field had another name now: the credits are not those of no model.
    const models = [{ model_id: 'a', credits: 90, input_tokens: 1, output_tokens: 2 }];
    const lines = await exposedDay(tokensCollector, row({ by_model: models }));
    expect(lines.filter((line) => /credits_(by_model|unattributed)/.test(line))).toEqual([]);
  });
});

describe('a tier that is unusable', () => {
  const entry = (model: string, tier: unknown) => ({ model_id: model, model_tier: tier, billable_tokens: 3 });

  test('is as good as none if it is that of the only entry of its model', async () => {
    const { rows } = await fetchRows(tokensCollector, [row({ by_model: [entry('a', 7), entry('b', 's')] })]);
    expect(stored(rows).get(DAY)?.byModel).toMatchObject([
      { model: 'a', credits: 3 },
      { model: 'b', tier: 's', credits: 3 },
    ]);
  });

  test('can be any of those of its model, whose usage is unusable then', async () => {
    const by_model = [entry('a', 7), entry('a', 's'), entry('b', 's'), entry('b', 't')];
    const { rows } = await fetchRows(tokensCollector, [row({ by_model })]);
    const models = stored(rows).get(DAY)?.byModel ?? [];
    expect(models.map(({ model, tier, credits }) => [model, tier, credits])).toEqual(
      expect.arrayContaining([
        ['a', undefined, null],
        ['a', 's', null],
        ['b', 's', 3],
        ['b', 't', 3],
      ]),
    );
  });
});

describe('a tier that the platform does not name', () => {
  test('is the last known one of the model', () => {
    const lines = exposed({
      '2026-03-05': { byModel: [{ model: 'a', tier: 'thinking', credits: 9 }] },
      '2026-03-07': { byModel: [{ model: 'a', tier: 'standard', credits: 1 }] },
      '2026-03-08': { byModel: [{ model: 'b', tier: 'thinking', credits: 1 }] },
      '2026-03-09': { byModel: [{ model: 'a', credits: 1 }] },
      [DAY]: { byModel: [{ model: 'a', credits: 7 }] },
    });
    expect(lines).toEqual(['daily_credits_by_model{model="a",tier="standard"} 7']);
  });

  test('is the one with most credits where the model had several that day', () => {
    const lines = exposed({
      '2026-03-09': {
        byModel: [
          { model: 'a', tier: 'standard', credits: 1 },
          { model: 'a', tier: 'thinking', credits: 2 },
        ],
      },
      [DAY]: { byModel: [{ model: 'a', credits: 7 }] },
    });
    expect(lines).toEqual(['daily_credits_by_model{model="a",tier="thinking"} 7']);
  });

  test('is unknown where it never was, and joins the same tier of the same day', () => {
    const lines = exposed({
      [DAY]: {
        byModel: [
          { model: 'a', credits: 1 },
          { model: 'b', tier: 'standard', credits: 2 },
          { model: 'b', credits: 3 },
        ],
      },
    });
    expect(lines).toEqual([
      'daily_credits_by_model{model="a",tier="unknown"} 1',
      'daily_credits_by_model{model="b",tier="standard"} 5',
    ]);
  });
});

describe('days without by_model', () => {
  function platform(grouped: unknown) {
    return createFakeSource({
      get: ({ query: { group_by: groupBy } }: ApiRequest) =>
        groupBy === 'model'
          ? grouped
          : analytics(
              { date: EVE, billable_tokens: 5, by_model: null },
              row({ by_model: [{ model_id: 'own', model_tier: 'standard', billable_tokens: 100 }] }),
            ),
    });
  }

  function failing(details: object) {
    return Object.assign(new Error('declined'), details);
  }

  test('are requested again by model, for the same window', async () => {
    const source = platform(
      analytics(
        { date: EVE, group_key: 'a', billable_tokens: 2, input_tokens: 1, output_tokens: 3 },
        { date: EVE, group_key: 'a', billable_tokens: 3 },
        { date: DAY, group_key: 'ignored', billable_tokens: 4 },
        { date: EVE, billable_tokens: 4 },
      ),
    );
    const { rows, rejected, bytes } = await fetchDays(tokensCollector, source, window);
    expect(source.requests.map(({ query }) => query)).toEqual([
      { startDate: EVE, endDate: DAY },
      { startDate: EVE, endDate: DAY, group_by: 'model' },
    ]);
    // Groups have other fields than days.
    expect(source.compared).toMatchObject([{ date: EVE, by_model: null }, { date: DAY }]);
    expect(stored(rows).get(EVE)?.rejected).toEqual({ models: 1 });
    expect(stored(rows).get(DAY)).not.toHaveProperty('rejected');
    // The group without a key can be of any model.
    expect(stored(rows).get(EVE)?.byModel).toEqual([
      { model: 'a', credits: 5, input: 1, output: 3 },
      { model: 'other', tier: 'other', credits: null, input: null, output: null },
    ]);
    expect(stored(rows).get(DAY)?.byModel).toEqual([{ model: 'own', tier: 'standard', credits: 100 }]);
    expect(rejected).toBe(1);
    expect(bytes).toBeGreaterThan(300);
  });

  test('count a group that is listed twice once, and the usage of one with an unusable amount as unusable', async () => {
    const group = { date: EVE, group_key: 'a', billable_tokens: 2 };
    const bad = { date: EVE, group_key: 'b', billable_tokens: -1, input_tokens: 4 };
    const { rows, rejected } = await fetchDays(
      tokensCollector,
      platform(analytics(group, group, bad)),
      window,
    );
    expect(stored(rows).get(EVE)).toMatchObject({
      byModel: [
        { model: 'a', credits: 2 },
        { model: 'b', credits: null, input: 4 },
      ],
      rejected: { models: 1 },
    });
    expect(rejected).toBe(1);
  });

  test('have no breakdown where the grouped answer does not know them', async () => {
    const { rows } = await fetchDays(tokensCollector, platform(analytics()), window);
    expect(rows.get(EVE)?.byModel).toBeUndefined();
  });

  test.each([
    ['declines to group', failing({ status: 400 })],
    ['answers something else', { rows: [] }],
  ])('keep their totals, with a remark, where the platform %s', async (_, grouped) => {
    const { rows, remarks } = await fetchDays(tokensCollector, platform(grouped), window);
    expect(rows.get(EVE)?.credits).toBe(5);
    expect(remarks).toHaveLength(1);
  });

  test.each([{ status: 500 }, { status: 401 }, { status: 429 }, { reason: 'timeout' }])(
    'are fetched another time where the question failed with %j',
    async (details) => {
      await expect(fetchDays(tokensCollector, platform(failing(details)), window)).rejects.toThrow(
        'declined',
      );
    },
  );

  test('are not requested again if every day has its models', async () => {
    const source = createFakeSource({ get: () => analytics(row()) });
    await fetchDays(tokensCollector, source, window);
    expect(source.requests).toHaveLength(1);
  });
});
