import { describe, expect, test } from 'vitest';
import { missingIn, withSeen } from '../../src/catalog/api-contract.ts';
import { type Day, daysFrom } from '../../src/catalog/day.ts';
import { FieldWatch } from '../../src/pipeline/field-watch.ts';
import { costByPerson, reader } from '../../src/platforms/claude/money.ts';
import { PlatformError } from '../../src/text/errors.ts';
import { claudeSource, costRow, DAY, endpointOf, NEXT, pageOf, usageRow } from './claude-source.ts';

type Json = Readonly<Record<string, unknown>>;

const [OPUS, HAIKU, NONE] = [{ model: 'claude-opus-4-8' }, { model: 'claude-haiku-4-5' }, { model: null }];

/** The days that are read from these rows. */
async function read(
  { usage = [], cost = [] }: { readonly usage?: readonly Json[]; readonly cost?: readonly Json[] },
  more: Json = {},
  to: Day = DAY,
) {
  const { source, compared } = claudeSource((request) =>
    pageOf(endpointOf(request) === 'usage' ? usage : cost, more),
  );
  const fetched = await reader.fetchDays(source, { from: DAY, to });
  return { ...fetched, row: fetched.rows.get(DAY), compared };
}

describe('money', () => {
  test.each([
    [['41280.000000'], 412.8],
    [['41280.125'], 412.80125],
    [Array.from({ length: 10 }, () => '0.1'), 0.01],
    [['0.000001', '99999999.999999'], 1_000_000],
    [['0.0000001'], 1e-9],
    [[1e-7], 1e-9],
    [['110.1', '220.2'], 3.303],
    [['5', '7'], 0.12],
    [['4.4', '1237.000001', '99.7'], 13.41100001],
    [[], 0],
    [['0'], 0],
  ])('of %j cents is %d dollars', async (amounts, dollars) => {
    const { row } = await read({ cost: amounts.map((amount) => costRow(OPUS, amount)) });
    expect([row?.cost, row?.listCost]).toEqual([dollars, dollars]);
  });

  test('at list price is apart from what is charged, and may be missing', async () => {
    const discounted = await read({ cost: [costRow(OPUS, '80', { list_amount: '100' })] });
    expect([discounted.row?.cost, discounted.row?.listCost]).toEqual([0.8, 1]);
    const without = await read({ cost: [costRow(OPUS, '80', { list_amount: null }), costRow(HAIKU, '1')] });
    expect([without.row?.cost, without.row?.listCost, without.rejected]).toEqual([0.81, undefined, 0]);
  });

  test('and tokens of no model are in the sums alone', async () => {
    const { row } = await read({
      usage: [usageRow(OPUS), usageRow(NONE, { output_tokens: 7 })],
      cost: [costRow(OPUS, '100'), costRow(NONE, '25'), costRow(HAIKU, '3')],
    });
    expect(row).toEqual({
      cost: 1.28,
      listCost: 1.28,
      tokens: { input: 2468, output: 57, cacheRead: 400, cacheWrite: 68 },
      byModel: [
        { model: 'claude-haiku-4-5', cost: 0.03 },
        { model: 'claude-opus-4-8', input: 1234, output: 50, cost: 1 },
      ].map((entry) => expect.objectContaining(entry)),
    });
    expect(row?.byModel).toHaveLength(2);
  });

  test.each([
    [costRow(OPUS, '5', { currency: 'EUR' }), { cost: 1, models: 1 }],
    [costRow(OPUS, 'much'), { cost: 2, models: 2 }],
    [costRow(OPUS, '-1', { list_amount: '1' }), { cost: 1, models: 1 }],
  ])('that is unusable makes its day unknown: %j', async (odd, rejected) => {
    const { row, ...fetched } = await read({ usage: [usageRow(OPUS)], cost: [costRow(HAIKU, '100'), odd] });
    expect([row?.cost, row?.rejected, fetched.rejected > 0]).toEqual([undefined, rejected, true]);
    expect(row?.tokens?.output).toBe(50);
    expect(row?.byModel?.find(({ model }) => model === OPUS.model)?.cost).toBeNull();
    expect(row?.byModel?.find(({ model }) => model === HAIKU.model)?.cost).toBe(1);
  });

  test('of a model whose name is unusable is part of the sum, and could be that of any model', async () => {
    const { row } = await read({ cost: [costRow(HAIKU, '100'), costRow({ model: 5 }, '50')] });
    expect([row?.cost, row?.rejected]).toEqual([1.5, { models: 1 }]);
    expect(row?.byModel).toContainEqual(expect.objectContaining({ model: 'other', cost: null }));
  });
});

test.each([
  [{ uncached_input_tokens: 'many' }, ['input']],
  [{ cache_read_input_tokens: null }, ['input', 'cacheRead']],
  [
    { cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: -1 } },
    ['input', 'cacheWrite'],
  ],
  [{ output_tokens: {} }, ['output']],
])('unusable tokens %j make %j unknown, and nothing else', async (odd, unknown) => {
  const { row } = await read({ usage: [usageRow(OPUS, odd), usageRow(HAIKU)], cost: [costRow(OPUS, '5')] });
  const names = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;
  expect(names.filter((name) => row?.tokens?.[name] === undefined)).toEqual(unknown);
  expect(row?.cost).toBe(0.05);
});

describe('a day', () => {
  const window = { usage: [usageRow(OPUS, {}, NEXT)], cost: [costRow(OPUS, '5', {}, NEXT)] };

  test('is there once it was exported to its end', async () => {
    const whole = await read(window, { data_refreshed_at: '2026-11-21T00:00:00Z' }, NEXT);
    expect([[...whole.rows.keys()], [...(whole.unready ?? [])]]).toEqual([[DAY, NEXT], []]);
    const partial = await read(window, { data_refreshed_at: '2026-11-20T23:59:59Z' }, NEXT);
    expect([[...partial.rows.keys()], [...(partial.unready ?? [])]]).toEqual([[DAY], [NEXT]]);
    const none = await read({}, { data_refreshed_at: null }, NEXT);
    expect([[...none.rows.keys()], [...(none.unready ?? [])]]).toEqual([[], [DAY, NEXT]]);
    await expect(read(window, { data_refreshed_at: 'soon' }, NEXT)).rejects.toThrow('data_refreshed_at');
  });

  test.each(['usage', 'cost'])('that only %s has whole is not there yet', async (whole) => {
    const { source } = claudeSource((request) => {
      const isWhole = endpointOf(request) === whole;
      return pageOf([], { data_refreshed_at: isWhole ? `${NEXT}T01:00:00Z` : `${DAY}T20:00:00Z` });
    });
    const { rows, unready } = await reader.fetchDays(source, { from: DAY, to: DAY });
    expect([rows.size, [...(unready ?? [])]]).toEqual([0, [DAY]]);
  });

  test('has a row of zeros without use, unless the answer does not say until when it is whole', async () => {
    const { row } = await read({});
    const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    expect(row).toEqual({ cost: 0, listCost: 0, tokens, byModel: [] });
    expect((await read({}, { data_refreshed_at: undefined })).rows.size).toBe(0);
    expect((await read(window, { data_refreshed_at: undefined }, NEXT)).rows.size).toBe(1);
  });
});

describe('the cost of a person', () => {
  const user = (id: string, email: string | null) => ({
    actor: { type: 'user_actor', user_id: id, email_address: email, name: 'x', deleted: email === null },
  });

  test('is by e-mail address, else by identifier; keys, services and others are no people', async () => {
    const rows = [
      costRow(user('user_1', ' Ann@Example.com'), '100'),
      costRow(user('user_1', 'ann@example.com'), '0.5'),
      costRow(user('user_2', null), '7'),
      costRow({ actor: { type: 'api_actor', api_key_id: 'apikey_1' } }, '1'),
      costRow({ actor: { type: 'service_account_actor', service_account_id: 'svac_1' } }, '1'),
      costRow(
        { actor: { type: 'federated_actor', provider: { type: 'gcp' }, subject: 'user:bob@example.com' } },
        '1',
      ),
      costRow({ actor: { type: 'service_account_actor', email_address: 'bot@example.com' } }, '1'),
      costRow({ actor: null }, '1'),
      costRow({ actor: null }, '1'),
    ];
    const { source, asked } = claudeSource(() => pageOf(rows));
    const { byPerson, otherwise, isWhole } = await costByPerson(source, DAY);
    expect([[...byPerson], otherwise, isWhole]).toEqual([
      [
        ['ann@example.com', 1.005],
        ['user_2', 0.07],
      ],
      0,
      true,
    ]);
    expect(asked.map(({ endpoint, query }) => [endpoint, query['group_by[]']])).toEqual([['users', 'actor']]);
  });

  test('is unknown where an amount is, and of everybody where the report is refused', async () => {
    const rows = [
      costRow(user('user_1', 'ann@example.com'), '100'),
      costRow(user('user_1', 'ann@example.com'), '5', { currency: 'EUR' }),
      costRow(user('user_2', 'bob@example.com'), '5'),
    ];
    const { byPerson, rejected } = await costByPerson(claudeSource(() => pageOf(rows)).source, DAY);
    expect([[...byPerson], rejected]).toEqual([
      [
        ['ann@example.com', null],
        ['bob@example.com', 0.05],
      ],
      1,
    ]);
    for (const status of [400, 403, 404]) {
      const { source } = claudeSource(
        () => new PlatformError('server', 'the beta is not enabled', { status }),
      );
      expect(await costByPerson(source, DAY)).toMatchObject({ otherwise: undefined, isWhole: true });
    }
    for (const status of [400, 401, 410, 500]) {
      const { source } = claudeSource(() => new PlatformError('auth', 'refused', { status }));
      await expect(costByPerson(source, DAY)).rejects.toThrow('refused');
    }
  });

  test('of a day that was not exported whole is not there yet', async () => {
    const { source } = claudeSource(() => pageOf([], { data_refreshed_at: `${DAY}T23:00:00Z` }));
    expect((await costByPerson(source, DAY)).isWhole).toBe(false);
  });
});

test('what the API adds or leaves out is noticed', async () => {
  const watched = async (days: readonly string[], change: (row: Json) => Json = (row) => row) => {
    const rows = days.map((day) => change(usageRow({ ...OPUS, actor: null }, {}, day)));
    const { source, compared } = claudeSource((request) =>
      pageOf(endpointOf(request) === 'usage' ? rows : days.map((day) => costRow(OPUS, '5', {}, day))),
    );
    await reader.fetchDays(source, { from: '2026-11-01' as Day, to: DAY }).catch(() => undefined);
    const watch = new FieldWatch();
    for (const [contract, elements] of compared) watch.compare(contract, elements);
    return watch;
  };
  const before = daysFrom('2026-11-01' as Day, '2026-11-09' as Day);
  const after = daysFrom('2026-11-10' as Day, DAY);
  expect((await watched(before)).unknown()).toEqual([]);
  const added = await watched(before, (row) => ({
    ...row,
    tier: 'gold',
    usage: { ...(row['usage'] as Json), thinking_tokens: 5 },
  }));
  expect(added.unknown()).toEqual(['tier', 'usage.thinking_tokens']);
  const seen = withSeen({}, (await watched(before)).seen());
  expect(missingIn(withSeen(seen, (await watched(after)).seen()))).toEqual([]);
  const lacking = await watched(after, (row) => {
    const { output_tokens: _, ...usage } = row['usage'] as Json;
    return { ...row, usage };
  });
  expect(missingIn(withSeen(seen, lacking.seen()))).toEqual(['usage.output_tokens']);
});
