import { describe, expect, test } from 'vitest';
import { addDays, type Day, startOf } from '../../src/catalog/day.ts';
import { spendCollector } from '../../src/collectors/spend/collector.ts';
import { tokensCollector } from '../../src/collectors/tokens/collector.ts';
import { formatOf } from '../../src/commands/export.ts';
import type { Config } from '../../src/config/config.ts';
import { createCorrections } from '../../src/export/corrections.ts';
import { spellingOf } from '../../src/export/csv.ts';
import { isExpectation, writtenValue } from '../../src/export/month.ts';
import { rangeToExport } from '../../src/export/range.ts';
import type { RowSink } from '../../src/export/sink.ts';
import { createTidyFormat } from '../../src/export/tables.ts';
import { agentPlatform } from '../../src/platforms/agent-platform/platform.ts';
import { claude } from '../../src/platforms/claude/platform.ts';
import { daily, type Row } from '../backfill/days.ts';
import { dayNamed } from '../support/day.ts';
import { storedOrg } from '../support/store.ts';
import { defaultValues, exported } from './fixtures.ts';

const MARCH = dayNamed('2026-03-01');
const LAST = dayNamed('2026-03-31');
const format = createTidyFormat('day');
const { compared = failed() } = format;

function failed(): never {
  throw new Error('tidy files can be compared');
}

interface Stored {
  readonly rows: readonly (Row | undefined)[];
  readonly revisedOn?: Day;
  readonly now?: Day;
  readonly closedAfterDays?: number;
}

/** Exports March as a closed month. */
function march({ rows, revisedOn = addDays(LAST, 7), now = addDays(LAST, 20), closedAfterDays = 7 }: Stored) {
  const pairs = rows.map((row, index) => [addDays(MARCH, index), row] as const);
  const kept = new Map(pairs.filter(([, row]) => row !== undefined));
  const history = storedOrg({
    days: (dataset) => (dataset === 'tokens' ? kept : undefined),
    revisedOn: () => revisedOn,
  });
  const readiness = { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: false } as const;
  return exported({
    orgs: [{ settings: { name: 'acme', readiness }, history }],
    collectors: [daily],
    from: MARCH,
    to: LAST,
    now: startOf(now),
    ...{ format, closedAfterDays },
  });
}

const days = (count: number) =>
  Array.from({ length: count }, (_, index): Row => ({ credits: index + 1, models: { a: index } }));

describe('a closed month', () => {
  test('has the same bytes ever after', async () => {
    const { lines, outcome } = await march({ rows: days(40) });
    const later = await march({
      rows: days(200),
      revisedOn: dayNamed('2026-09-17'),
      now: dayNamed('2026-09-17'),
    });
    expect(outcome).toMatchObject({ rows: 62 });
    expect(later.lines).toEqual(lines);
  });

  test('has no figures of single people, which the store forgets', () => {
    const config = {
      collectors: new Map([['users', true]]),
      metrics: { excluded: [] },
      orgs: [{ name: 'acme', platform: agentPlatform }],
    } as unknown as Config;
    const labelsFor = (month: string | undefined) => {
      const { published } = formatOf({ ...defaultValues, month }, config);
      return published.flatMap(({ families }) => families.flatMap(({ labels }) => labels));
    };
    expect(labelsFor(undefined)).toContain('user');
    expect(labelsFor('2026-03')).not.toContain('user');
    expect(labelsFor('2026-03')).toContain('team');
  });

  test('is refused, and nothing written, while the next revision pass asks for one of its days again', async () => {
    const { lines, outcome } = await march({ rows: days(40), revisedOn: addDays(LAST, 5) });
    expect(lines).toEqual([]);
    expect(outcome).toMatchObject({ rows: 0 });
    expect(outcome.open).toEqual(new Map([['acme/tokens', ['2026-03-30', '2026-03-31']]]));
  });

  test('is refused while a day is unknown, or a part of its answer was unusable', async () => {
    const damaged = { credits: 5, rejected: { models: 1 } };
    const rows = days(40).map((row, index) => (index === 3 ? undefined : index === 4 ? damaged : row));
    const { lines, outcome } = await march({ rows });
    expect(lines).toEqual([]);
    expect(outcome.unknown).toEqual(new Map([['acme/tokens', ['2026-03-04']]]));
    expect(outcome.open).toEqual(new Map([['acme/tokens', ['2026-03-05']]]));
  });
});

describe("a month's summary", () => {
  const config = {
    collectors: new Map([
      ['spend', true],
      ['tokens', true],
    ]),
    metrics: { excluded: [] },
    orgs: [{ name: 'acme', platform: agentPlatform }],
  };
  const headerFor = (changes: object) =>
    formatOf({ ...defaultValues, by: 'month', ...changes }, config as unknown as Config).format.header;

  test('has its first and its last day, and of a closed month nothing that was expected of it', () => {
    const closed = headerFor({ month: '2026-03' }).trimEnd().split(',');
    expect(closed.slice(-4)).toEqual(['period_start', 'period_end', 'provisional', 'platform']);
    expect(closed).toContain('credits_month_to_date');
    expect(closed.filter((name) => /forecast|probability|lasts/.test(name))).toEqual([]);
    expect(headerFor({})).toContain('credits_month_forecast');
    expect(headerFor({ month: '2026-03', delimiter: 'tab' })).toContain('month\torganization\t');
  });

  test('has days as dates, and no expectations once the month is whole', async () => {
    const rows = days(40);
    const of = async (to: Day) => {
      const kept = new Map(rows.map((row, index) => [addDays(MARCH, index), row] as const));
      const history = storedOrg({ days: (dataset) => (dataset === 'tokens' ? kept : undefined) });
      const readiness = {
        branches: [],
        cleanOnly: false,
        levelRule: 'none',
        criterionCounts: false,
      } as const;
      const { lines } = await exported({
        orgs: [{ settings: { name: 'acme', readiness }, history }],
        collectors: [daily],
        from: MARCH,
        to,
        now: startOf(addDays(LAST, 20)),
        format: createTidyFormat('month'),
        sumOfMonth: (amounts) => amounts.reduce((sum, amount) => sum + amount, 0),
      });
      return lines
        .filter((line) => line.includes('acme'))
        .map((line) => line.trimEnd().split(',').slice(-4, -2));
    };
    expect(await of(LAST)).toContainEqual(['2026-03-01', '2026-03-31']);
    expect(await of(dayNamed('2026-03-09'))).toContainEqual(['2026-03-01', '2026-03-09']);
    expect(isExpectation('agent_platform_team_cost_month_forecast_upper')).toBe(true);
    expect(isExpectation('agent_platform_credits_month_to_date')).toBe(false);
  });
});

test('a month of all metrics has sums of days and states, but neither means, ratios nor figures of several days', async () => {
  const at = new Map([[MARCH, { credits: 5, byModel: [{ model: 'm', tier: 'standard', credits: 5 }] }]]);
  const { lines } = await exported({
    orgs: [
      {
        settings: {
          name: 'acme',
          readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: false },
          contract: {
            seats: 3,
            creditsPerMonth: 10,
            prices: [{ from: MARCH, currency: 'USD', perMillionCredits: 2 }],
          },
        },
        history: storedOrg({ days: (dataset) => (dataset === 'tokens' ? at : undefined) }),
      },
    ],
    collectors: [tokensCollector, spendCollector],
    from: MARCH,
    to: MARCH,
    now: startOf(addDays(MARCH, 20)),
    format: createTidyFormat('month'),
    sumOfMonth: (amounts) => amounts.reduce((sum, amount) => sum + amount, 0),
  });
  const names = lines.slice(1).map((line) => line.split(',')[2]?.replace('agent_platform_', ''));
  expect([...new Set(names)].sort()).toEqual([
    'cost_month_to_date',
    'credit_price',
    'credits_month_budget',
    'credits_month_to_date',
    'daily_cost',
    'daily_cost_by_model',
    'daily_credits',
    'daily_credits_by_model',
    'daily_credits_unattributed',
    'seats',
  ]);
});

test('a month of reported cost has its money also where it is too early to say which days were unusual', async () => {
  const cost = { cost: 2, listCost: 3, byModel: [{ model: 'm', tier: 'standard', cost: 2 }] };
  const at = new Map(Array.from({ length: 31 }, (_, index) => [addDays(MARCH, index), cost] as const));
  const readiness = { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: false } as const;
  const { lines } = await exported({
    orgs: [
      {
        settings: { name: 'acme', readiness, money: claude.money },
        history: storedOrg({ days: (dataset) => (dataset === 'tokens' ? at : undefined) }),
      },
    ],
    collectors: [tokensCollector, spendCollector],
    from: MARCH,
    to: LAST,
    now: startOf(addDays(LAST, 20)),
    format: createTidyFormat('month'),
    sumOfMonth: (amounts) => amounts.reduce((sum, amount) => sum + amount, 0),
  });
  const [, ...rows] = lines.map((line) => line.split(','));
  const sumOf = (name: string) => rows.find((row) => row[2] === `agent_platform_${name}`)?.at(-6);
  expect(sumOf('daily_cost')).toBe('62');
  expect(sumOf('daily_list_cost')).toBe('93');
  expect(sumOf('daily_cost_by_model')).toBe('62');
  expect(sumOf('daily_cost_unusual')).toBeUndefined();
});

describe('the range of --month', () => {
  const history = { start: MARCH, revisionWindow: 7 } as never;
  const values = { from: undefined, to: undefined, month: undefined, corrections: undefined };
  const rangeOf = (now: string, given: object, ...starts: readonly number[]) => {
    const orgs = starts.map((periodStarts) => ({ contract: { prices: [], periodStarts } }));
    return rangeToExport({ ...values, ...given }, { history, orgs: orgs as never }, startOf(dayNamed(now)));
  };

  test('is the month once its last day has left the window, and last is the newest such month', () => {
    const closed = { from: MARCH, to: LAST, closedAfterDays: 7 };
    expect(rangeOf('2026-04-07', { month: '2026-03' })).toEqual(closed);
    expect(rangeOf('2026-05-06', { month: 'last' })).toEqual(closed);
    expect(rangeOf('2026-05-07', { month: 'last' })).toMatchObject({ from: '2026-04-01', to: '2026-04-30' });
  });

  test.each([
    [{ month: '2026-03' }, '2026-03 may still change; it closes on 2026-04-07'],
    [{ month: '2026-02' }, '2026-02 begins before 2026-03-01'],
    [{ month: '2026-03', from: MARCH }, '--month cannot be combined with --from and --to'],
    [{ corrections: 'march.csv' }, '--corrections needs --month'],
  ])('refuses %j', (given, message) => {
    expect(() => rangeOf('2026-04-06', given)).toThrow(message);
  });

  test.each([
    [9, '2026-03-09', '2026-04-08'],
    [29, '2026-03-29', '2026-04-28'],
    [31, '2026-03-31', '2026-04-29'],
    [1, MARCH, LAST],
  ])('is the billing month that begins on day %i of the calendar month', (starts, from, to) => {
    const whole = { from, to };
    expect(rangeOf('2026-05-20', { month: '2026-03' }, starts)).toMatchObject(whole);
    expect(rangeOf(addDays(dayNamed(to), 7), { month: 'last' }, starts, starts)).toMatchObject(whole);
    expect(() => rangeOf(addDays(dayNamed(to), 6), { month: '2026-03' }, starts)).toThrow('may still change');
  });

  test('is refused for organizations whose months differ', () => {
    expect(() => rangeOf('2026-05-20', { month: '2026-03' }, 1, 9)).toThrow('different billing months');
  });

  test('takes a month that is over for corrections, also while it may change again', () => {
    const given = { month: '2026-03', corrections: 'march.csv' };
    expect(rangeOf('2026-04-01', given)).toEqual({ from: MARCH, to: LAST, closedAfterDays: 0 });
  });
});

describe('corrections', () => {
  async function corrected(closed: string, now: readonly string[], comparedBy = compared) {
    const written: string[] = [];
    const sink: RowSink = {
      write: (text) => void written.push(text),
      finish: async () => undefined,
      abandon: async () => undefined,
    };
    const corrections = createCorrections(closed, comparedBy, ['acme'], sink);
    for (const line of now) await corrections.write(line);
    await corrections.finish();
    return { text: written.join(''), count: corrections.count() };
  }

  test('are the figures that differ from the file of the closed month, with both values', async () => {
    const { lines } = await march({ rows: days(40) });
    const changed = days(40).map((row, index): Row => {
      if (index === 2) return { ...row, credits: 2.9 };
      return index === 4 ? { credits: 5, models: { b: 4, a: 0 } } : row;
    });
    const { lines: later } = await march({ rows: changed.slice(0, 31) });
    const { text, count } = await corrected(lines.join(''), later);
    expect(text.split('\n').slice(0, 4)).toEqual([
      'day,organization,metric,labels,figure,at_close,now,difference',
      '2026-03-03,acme,agent_platform_test_credits,{},value,3,2.9,-0.1',
      '2026-03-05,acme,agent_platform_test_credits_by_model,"{""model"":""b""}",value,,4,4',
      '2026-03-05,acme,agent_platform_test_credits_by_model,"{""model"":""a""}",value,4,0,-4',
    ]);
    // The zeros of the days after, on which the new model is missing.
    expect(count).toBe(3 + 26);
    // Without the rounding error of a subtraction.
    const header = 'day,organization,metric,labels,value\n2026-03-03,acme,price,{},';
    const { text: price } = await corrected(`${header}0.0000027\n`, [`${header}0.0000028\n`]);
    expect(price).toContain('value,0.0000027,0.0000028,0.0000001\n');
    // A file that was saved with letters composed in another way has the same rows.
    const team = (name: string) => `${header.split('2026')[0]}2026-03-03,acme,credits,{team: ${name}},1\n`;
    expect((await corrected(team('Gru\u0308n'), [team('Gr\u00fcn')])).count).toBe(0);
    expect((await corrected(later.join(''), lines)).text).toContain('""model"":""b""}",value,4,,-4');
  });

  test('are none if nothing has changed', async () => {
    const { lines } = await march({ rows: days(40) });
    expect(await corrected(lines.join(''), lines)).toMatchObject({ count: 0 });
  });

  test('read a file from before it had its last columns, and compare none of them', async () => {
    const { lines } = await march({ rows: days(40) });
    const older = lines.map((line) => line.replace(/,(?:provisional,platform|false,agent-platform)$/m, ''));
    expect(older.join('')).not.toMatch(/false|platform$/m);
    expect(await corrected(older.join(''), lines)).toMatchObject({ count: 0 });
    const final = lines.map((line) => line.replace(',false,', ',true,'));
    expect(await corrected(final.join(''), lines)).toMatchObject({ count: 0 });
  });

  test.each(['', 'a,b\n1,2\n', 'day,"x\n'])('refuse a file of another kind: %j', async (text) => {
    await expect(corrected(text, [])).rejects.toThrow('--corrections: the file');
  });

  test.each([
    ['2026-03-03,acme,credits,{},"3,5",credits', 'line 2, value: "3,5" is not as it was written'],
    ['2026-03-03,acme,credits,{},1E+05,credits', 'line 2, value: "1E+05" is not as it was written'],
    ['03/03/2026,acme,credits,{},3,credits', 'line 2, day: "03/03/2026" is not as it was written'],
    ['Mar-26,acme,credits,{},3,credits', 'line 2, day: "Mar-26" is not as it was written'],
    ['2026-03-03,globex,credits,{},3,credits', 'the file has rows of globex, which is not exported'],
    ['2026-02-03,acme,credits,{},3,credits', 'the file is of 2026-02-03, not of 2026-03-03'],
  ])('refuse %j, which a spreadsheet or another export has written', async (row, message) => {
    const header = 'day,organization,metric,labels,value,unit\n';
    const now = [header, '2026-03-03,acme,credits,{},3,credits\n'];
    await expect(corrected(`${header}${row}\n`, now)).rejects.toThrow(`--corrections: ${message}`);
  });

  test('name the line at which a file has other delimiters', async () => {
    const text = 'day;organization;metric;labels;value;unit\n2026-03-03;acme;credits;{};3,5;credits\n';
    await expect(corrected(text, [])).rejects.toThrow('the file is not CSV as it was written, line 2');
  });

  test('refuse a file that lacks an organization, but not one without rows', async () => {
    const header = 'day,organization,metric,labels,value,unit\n';
    const of = (org: string) => `2026-03-03,${org},credits,{},3,credits\n`;
    await expect(corrected(header + of('acme'), [header, of('acme'), of('globex')])).rejects.toThrow(
      '--corrections: the file has no row of globex',
    );
    await expect(corrected(header, [header, of('acme')])).rejects.toThrow('has no rows of such an export');
  });

  test('take a figure that was absent', async () => {
    const header = 'day,organization,metric,labels,value,unit\n';
    const now = [header, '2026-03-03,acme,credits,{},3,credits\n'];
    const { text } = await corrected(`${header}2026-03-03,acme,credits,{},,credits\n`, now);
    expect(text.split('\n')[1]).toBe('2026-03-03,acme,credits,{},value,,3,3');
  });

  test('compare files with decimal commas', async () => {
    const comma = createTidyFormat('day', spellingOf('semicolon'));
    const header = 'day;organization;metric;labels;value;unit\n';
    const before = `${header}2026-03-03;acme;cost;{};3,5;currency\n`;
    const now = [header, '2026-03-03;acme;cost;{};3,75;currency\n'];
    const { text } = await corrected(before, now, comma.compared);
    expect(text.split('\n')[1]).toBe('2026-03-03;acme;cost;{};value;3,5;3,75;0,25');
    await expect(corrected(before.replace('3,5', '3.5'), now, comma.compared)).rejects.toThrow(
      'line 2, value: "3.5" is not as it was written',
    );
  });

  test('refuse a file with columns that these options do not have, such as one of each person', async () => {
    const row = 'day,organization,metric,labels,user,value\n2026-03-03,acme,credits,{},';
    await expect(corrected(`${row}a,1\n2026-03-03,acme,credits,{},b,2\n`, [])).rejects.toThrow(
      '--corrections: the file has several rows for what is one row',
    );
  });
});

test('amounts of money have no digits of rounding errors, and other figures are those of the metrics', () => {
  expect(writtenValue({ unit: 'currency' }, 910.2731265000001)).toBe(910.2731265);
  expect(writtenValue({ unit: 'ratio' }, 1 / 3)).toBe(1 / 3);
});
