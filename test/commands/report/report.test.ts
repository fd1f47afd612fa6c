import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, type Day, dayOf, daysFrom, endOf, startOf } from '../../../src/catalog/day.ts';
import { spendFamilies as spend } from '../../../src/collectors/spend/collector.ts';
import { reportHtml, reportMarkdown, reportSlack } from '../../../src/commands/report/render.ts';
import { lastPeriod, periodBefore, periodOf, reportOf } from '../../../src/commands/report/report.ts';
import { viewOfDays } from '../../collectors/explain/view.ts';
import { createFakeView } from '../../collectors/fakes.ts';
import { dayNamed } from '../../support/day.ts';
import { BOTH, COST, under } from '../../support/money.ts';
import { propertyRuns } from '../../support/thoroughness.ts';

const start = dayNamed('2026-01-19');
const newest = dayNamed('2026-12-31');

/** Days of a year with any credits; about one of thirty is unknown. */
const year = fc
  .array(fc.option(fc.nat(1_000_000), { freq: 30, nil: undefined }), { minLength: 347, maxLength: 347 })
  .map((credits) => new Map(credits.map((one, index) => [addDays(start, index), one] as const)));

function figures(days: ReadonlyMap<Day, number | undefined>) {
  const known = [...days].filter((entry): entry is [Day, number] => entry[1] !== undefined);
  return Object.fromEntries(
    known.map(([day, credits]) => [
      day,
      { credits, models: { a: credits }, users: 10, sessions: credits % 97, tokens: 2_000 },
    ]),
  );
}

test('each figure of fifty weeks is that of the metrics of its days', () => {
  fc.assert(
    fc.property(year, (days) => {
      const stored = figures(days);
      for (let first = start; addDays(first, 6) <= newest; first = addDays(first, 7)) {
        const period = periodOf('week', addDays(first, 3));
        const report = reportOf('acme', period, newest, (asOf) =>
          viewOfDays(stored, addDays(dayBefore(asOf), 0)),
        );
        const credits = daysFrom(first, addDays(first, 6)).map((day) => days.get(day));
        const unknown = credits.filter((one) => one === undefined).length;
        const sum = unknown > 0 ? undefined : credits.reduce<number>((all, one) => all + (one ?? 0), 0);
        expect(report.figures.find(({ title }) => title === 'Credits')).toMatchObject({
          unknown,
          value: sum,
        });
        expect(report.days).toHaveLength(7);
      }
    }),
    { numRuns: propertyRuns(10) },
  );
});

test('a month of any bill has the month to date of its last day, and so has the month before', () => {
  const months = fc.record({ days: year, starts: fc.integer({ min: 1, max: 31 }), at: fc.nat({ max: 346 }) });
  fc.assert(
    fc.property(months, ({ days, starts, at }) => {
      const period = periodOf('month', addDays(start, at), starts);
      const stored = figures(days);
      const viewAt = (asOf: number) => viewOfDays(stored, dayOf(asOf - 1), contract);
      const contract = { prices: [], periodStarts: starts };
      const { figures: shown, month } = reportOf('acme', period, newest, viewAt);
      const last = period.last < newest ? period.last : newest;
      const toDate = (day: Day) =>
        [...(spend.creditsMonthToDate.samplesOf(viewAt(endOf(day)), day) ?? [])][0]?.value;
      expect(month.find(({ title }) => title === 'Credits, month to date')?.value).toBe(toDate(last));
      const credits = shown.find(({ title }) => title === 'Credits');
      expect(credits?.value).toBe(toDate(last));
      if (last === period.last && periodBefore(period, starts).first >= start)
        expect(credits?.before).toBe(toDate(periodBefore(period, starts).last));
    }),
  );
});

function dayBefore(asOf: number): Day {
  return daysFrom(start, newest).find((day) => startOf(addDays(day, 1)) === asOf) ?? addDays(start, -1);
}

const week = { '2026-11-17': 10, '2026-11-23': 100, '2026-11-24': 300, '2026-11-25': 200 };
const stored = figures(new Map(Object.entries(week).map(([day, credits]) => [dayNamed(day), credits])));
const reported = (period: ReturnType<typeof periodOf>, last = dayNamed('2026-11-25')) =>
  reportOf('acme', period, last, () => viewOfDays(stored, last));

test('weeks begin on Monday and months on the first, and the last one is over', () => {
  expect(periodOf('week', dayNamed('2026-11-29'))).toMatchObject({ first: '2026-11-23', last: '2026-11-29' });
  expect(periodOf('week', dayNamed('2026-11-30'))).toMatchObject({ first: '2026-11-30', last: '2026-12-06' });
  expect(periodBefore(periodOf('month', dayNamed('2026-03-31')))).toMatchObject({ last: '2026-02-28' });
  expect(lastPeriod('week', startOf(dayNamed('2026-11-30')))).toMatchObject({ first: '2026-11-23' });
});

test('a month is that of the bill, also around the end of February', () => {
  const month = (day: string, starts: number) => periodOf('month', dayNamed(day), starts);
  expect(month('2026-11-08', 9)).toMatchObject({ first: '2026-10-09', last: '2026-11-08' });
  expect(periodBefore(month('2026-11-09', 9), 9)).toEqual(month('2026-11-08', 9));
  expect(lastPeriod('month', startOf(dayNamed('2026-11-08')), 9)).toEqual(month('2026-10-08', 9));
  expect(month('2028-02-29', 31)).toMatchObject({ first: '2028-02-29', last: '2028-03-30' });
  expect(periodBefore(month('2028-02-29', 31), 31)).toMatchObject({
    first: '2028-01-31',
    last: '2028-02-28',
  });
});

test('a week that is not over is compared with as many days, and says so', () => {
  const report = reported(periodOf('week', dayNamed('2026-11-24')));
  expect(report.figures[0]).toMatchObject({ title: 'Credits', value: 600, unknown: 0 });
  expect(reportMarkdown([report])).toContain('Partial: 3 of 7 days, up to 2026-11-25.');
  // A month of the bill can end on an early day.
  const month = reported(periodOf('month', dayNamed('2026-11-25'), 9));
  expect(reportMarkdown([month])).toContain('Partial: 17 of 30 days, up to 2026-11-25.');
});

test('where prices change their currency, each has the cost of its own days, and nothing is unknown', () => {
  const first = dayNamed('2026-11-23');
  const prices = [
    { from: start, currency: 'USD', perMillionCredits: 2 },
    { from: addDays(first, 2), currency: 'EUR', perMillionCredits: 1 },
  ];
  const days = daysFrom(addDays(first, -7), addDays(first, 13));
  const stored = figures(new Map(days.map((day) => [day, 1_000_000])));
  const reportIn = (day: Day) =>
    reportOf('acme', periodOf('week', day), newest, (asOf) =>
      viewOfDays(stored, dayOf(asOf - 1), { prices }),
    );
  const costIn = (day: Day) => reportIn(day).figures.filter(({ title }) => title === 'Cost');
  expect(costIn(first)).toEqual([
    { title: 'Cost', currency: 'USD', value: 4, before: 14, unknown: 0 },
    { title: 'Cost', currency: 'EUR', value: 5, before: 0, unknown: 0 },
  ]);
  expect(costIn(addDays(first, 7))).toEqual([
    { title: 'Cost', currency: 'EUR', value: 7, before: 5, unknown: 0 },
    { title: 'Cost', currency: 'USD', value: 0, before: 4, unknown: 0 },
  ]);
  // What one currency has less is in the other.
  const lines = [first, addDays(first, 7)].flatMap((day) => reportMarkdown([reportIn(day)]).split('\n'));
  expect(lines.filter((line) => line.startsWith('| Cost ('))).toEqual([
    '| Cost (USD) | 4.00 | 14.00 |  |',
    '| Cost (EUR) | 5.00 | 0.00 |  |',
    '| Cost (EUR) | 7.00 | 5.00 |  |',
    '| Cost (USD) | 0.00 | 4.00 |  |',
  ]);
});

test('numbers are grouped, and changes have their sign', () => {
  const report = reported(periodOf('week', dayNamed('2026-11-24')));
  const cost = { title: 'Cost', currency: 'USD', value: 1068.319, before: 2136.7, unknown: 0 };
  expect(reportMarkdown([{ ...report, figures: [cost] }])).toContain(
    '| Cost (USD) | 1,068.32 | 2,136.70 | −50 % |',
  );
});

test('a report has models, the month with its range, and ends with what to look at', () => {
  const last = dayNamed('2026-11-29');
  const days = daysFrom(addDays(last, -249), last);
  const usual = { users: 10, sessions: 20, tokens: 2_000, commits: 2 };
  const spike = Object.fromEntries(
    days.map((day) => {
      const a = day === '2026-11-27' ? 860 : 60;
      return [day, { ...usual, credits: a + 40, models: { a, b: 40 } }];
    }),
  );
  const contract = { prices: [], creditsPerMonth: 2_000 };
  const viewAt = (asOf: number) => viewOfDays(spike, dayOf(asOf - 1), contract);
  const report = reportOf('acme', periodOf('week', last), last, viewAt);
  expect(report.models).toEqual([
    { name: 'a', amount: 1_220, before: 420 },
    { name: 'b', amount: 280, before: 280 },
  ]);
  expect(report.unusual).toMatchObject([{ day: '2026-11-27', amount: 900 }]);
  const text = reportMarkdown([report, { ...report, org: 'globex', figures: [] }]);
  expect(text).toMatch(/^All 2 organizations: 1,500 credits \(\+114 %\), 1 of them known\.\n/);
  expect(text).toContain('| a | 1,220 | 420 | +190 % |');
  expect(text).toMatch(/\| Credits, forecast of the month \| 3,[\d,]+ \| 3,[\d,]+ to 3,[\d,]+ \|/);
  expect(text).toMatch(/\| credits per active user \| 12.9 \|/);
  expect(text.split('## To look at\n\n')[1]?.split('\n\n')[0]?.split('\n')).toEqual([
    expect.stringMatching(
      /^1\. The month is expected to reach 3,[\d,]+ of a budget of 2,000 credits \(probability 100.0 %\)\.$/,
    ),
    expect.stringMatching(/^2\. 2026-11-27 was unusually high: 900 credits; up to \d+ were expected\.$/),
    '3. a rose by 800 credits (+190 %).',
  ]);
  const page = reportHtml([report]);
  expect(page).toContain('<h2>To look at</h2>');
  expect(page).not.toContain('organizations:');
});

test('a sum over organizations says of how many it is, and is never one of different periods', () => {
  const prices = [{ from: start, currency: 'USD', perMillionCredits: 1_000_000 }];
  const of = (org: string, until: string, last = dayNamed('2026-11-29')) => {
    const days = daysFrom(dayNamed('2026-11-09'), dayNamed(until));
    const stored = figures(new Map(days.map((day) => [day, 10])));
    const viewAt = (asOf: number) => viewOfDays(stored, dayOf(asOf - 1), { prices });
    return reportOf(org, periodOf('week', last), last, viewAt);
  };
  const [acme, late, former] = [
    of('acme', '2026-11-29'),
    of('late', '2026-11-27'),
    of('former', '2026-11-22', dayNamed('2026-11-22')),
  ];
  const first = (...reports: Parameters<typeof reportMarkdown>[0]) => reportMarkdown(reports).split('\n')[0];
  expect(first(acme, late)).toBe(
    'All 2 organizations: 70 credits (0 %), 1 of them known; 70.00 USD (0 %), 1 of them known.',
  );
  expect(first(acme, acme, former)).toBe(
    '2 of 3 organizations, 2026-11-23 to 2026-11-29: 140 credits (0 %); 140.00 USD (0 %). ' +
      '1 of 3 organizations, 2026-11-16 to 2026-11-22: 70 credits (0 %); 70.00 USD (0 %).',
  );
});

test('teams over their budgets come after the month, and a chat gets no markup of its own', () => {
  const over = { team: '<a>', reached: 30, budget: 20, currency: 'EUR' };
  const text = reportSlack([
    { ...reported(periodOf('week', dayNamed('2026-11-24'))), teamsOverBudget: [over, over] },
  ]);
  expect(text).toContain(
    '1. Team &lt;a&gt; is expected to reach 30.00 of a budget of 20.00 EUR. 1 more exceed theirs.',
  );
});

test('a total of which a day is unknown is unknown, and the report says how many are missing', () => {
  const text = reportMarkdown([reported(periodOf('week', dayNamed('2026-11-17')))]);
  expect(text).toContain(
    'Unknown on 6 of 7 days, and so without a total: Credits, Active people a day, Sessions.',
  );
  expect(text).toContain('| Credits | unknown |');
});

test('a period of which nothing is over has no figures', () => {
  expect(reportMarkdown([reported(periodOf('week', dayNamed('2026-12-09')))])).toContain(
    'No day of it is over',
  );
});

test('HTML escapes names, and has neither scripts nor anything from elsewhere', () => {
  const report = { ...reported(periodOf('week', dayNamed('2026-11-24'))), org: '<script>"a"' };
  const page = reportHtml([report]);
  expect(page).toContain('&lt;script&gt;&quot;a&quot;: week of 2026-11-23 to 2026-11-29');
  expect(page).not.toMatch(/<script|https?:|src=|@import/);
  expect(page.length).toBeLessThan(100_000);
});

test('a report of a platform without credits is about its cost', () => {
  const last = dayNamed('2026-11-29');
  const days = daysFrom(addDays(last, -249), last);
  const rows = new Map(
    days.map((day) => {
      const a = day === '2026-11-27' ? 860.5 : 60.25;
      const byModel = [{ model: 'a', tier: 'unknown', cost: a, input: 900, output: 100 }];
      return [day, { cost: a + 40, tokens: { input: 900, output: 100 }, byModel, dailyUsers: 10 }] as const;
    }),
  );
  const contract = { prices: [], costPerMonth: { currency: 'USD', amount: 2_000 } };
  const viewAt = (asOf: number) => under(createFakeView({ rows, asOf }), { money: COST, contract });
  const report = reportOf('acme', periodOf('week', last), last, viewAt);
  expect(report.models).toEqual([{ name: 'a', amount: 1_222, before: 421.75 }]);
  expect(report.unusual).toMatchObject([{ day: '2026-11-27', amount: 900.5, currency: 'USD' }]);
  const text = reportMarkdown([report]);
  expect(text).toContain('Cost a day rose by 114 %, from 100.25 to 214.57 USD, mostly by ');
  expect(text).toContain('## Cost by model\n\n| model | this week | before | change |');
  expect(text).toContain('| a | 1,222.00 | 421.75 | +190 % |');
  expect(text).toMatch(/\| cost per token of each model \| \+114\.32 \|/);
  expect(text).toMatch(/2026-11-27 was unusually high: 900\.50 USD; up to [\d.]+ were expected\./);
  expect(text).toContain('a rose by 800.25 USD (+190 %).');
  expect(text).not.toMatch(/credit/i);
});

test('reports of several platforms begin with what all used, and name each platform', () => {
  const last = dayNamed('2026-11-29');
  const days = daysFrom(addDays(last, -249), last);
  const rows = new Map(
    days.map((day) => [day, { credits: 2e6, cost: 50.25, billedCost: 3, dailyUsers: 10 }]),
  );
  const prices = (currency: string) => [{ from: days[0] ?? last, currency, perMillionCredits: 10 }];
  const on = (org: string, platform: string, settings: Parameters<typeof under>[1]) => {
    const viewAt = (asOf: number) => under(createFakeView({ rows, asOf }), settings);
    return { ...reportOf(org, periodOf('week', last), last, viewAt), platform };
  };
  const lab = on('lab', 'Claude', { money: COST });
  const octo = on('octo', 'GitHub Copilot', { money: BOTH });
  const acme = on('acme', 'Agent Platform', { contract: { prices: prices('USD') } });
  const euro = on('euro', 'Agent Platform', { contract: { prices: prices('EUR') } });
  const free = on('free', 'Agent Platform', {});
  const text = reportMarkdown([acme, euro, free, octo, lab]);
  const dollars =
    'Agents used 844 USD from 2026-11-23 to 2026-11-29: 42 % GitHub Copilot (value of use), 42 % Claude (charge), ' +
    '16 % Agent Platform (estimate by configured prices); billed beyond seats 21.00 where platforms say it (GitHub Copilot); ' +
    'seat fees are not included; forecast of the month 3,615 (3,615 to 3,615).';
  const euros =
    'Agents used 140 EUR from 2026-11-23 to 2026-11-29 at configured prices, 100 % Agent Platform; ' +
    'seat fees are not included; forecast of the month 600 (600 to 600).';
  const [first, second] = text.split('\n\n');
  expect(first).toBe(`${dollars} ${euros} Not included, as their cost is unknown: free.`);
  expect(second).toBe('# acme (Agent Platform): week of 2026-11-23 to 2026-11-29');
  expect(text).not.toContain('organizations:');
  expect(reportHtml([acme, lab])).toMatch(/<body>\n<p>Agents used [\d,]+ USD from/);
  expect(reportSlack([acme, lab])).toContain('*lab (Claude): week of');
});

test('what is billed and the list price stand beside the cost, and what may still be revised is said', () => {
  const last = dayNamed('2026-11-29');
  const days = daysFrom(addDays(last, -60), last);
  const rows = new Map(days.map((day) => [day, { credits: 2e6, cost: 50.25, billedCost: 3, listCost: 60 }]));
  const [charge, both] = [COST, BOTH].map((money) => {
    const settings = { money, days: { tokens: { revisedFor: 31 } } };
    return (day: Day) =>
      reportMarkdown([
        reportOf('lab', periodOf('week', day), last, (asOf) =>
          under(createFakeView({ rows, asOf }), settings),
        ),
      ]);
  });
  expect(both?.(last)).toContain('| Billed cost (USD) | 21.00 | 21.00 | 0 % |');
  expect(both?.(last)).toContain('| Billed cost, month to date (USD) | 87.00 |');
  expect(charge?.(last)).toContain('| List cost (USD) | 420.00 | 420.00 | 0 % |');
  expect(charge?.(last)).toContain('The cost is provisional: the platform may revise it until 2026-12-30.');
  expect(both?.(last)).toContain(
    'Credits and cost are provisional: the platform may revise them until 2026-12-30.',
  );
  expect(charge?.(addDays(last, -38))).not.toContain('revise');
});

test('a month that is not over has its teams beside as many days of the month before', () => {
  const last = dayNamed('2026-11-10');
  const byTeam = [{ team: 'a', active: 6, credits: 100 }];
  const rows = new Map(daysFrom(addDays(last, -99), last).map((day) => [day, { credits: 100, byTeam }]));
  const viewAt = (asOf: number) => createFakeView({ rows, asOf });
  const teamsOn = (day: string) => reportOf('acme', periodOf('month', dayNamed(day)), last, viewAt).teams;
  expect(teamsOn('2026-11-10')).toEqual([{ name: 'a', amount: 1_000, before: 1_000 }]);
  expect(teamsOn('2026-10-10')).toEqual([{ name: 'a', amount: 3_100, before: 3_000 }]);
});

test('a forecast is not added over different months of the bill', () => {
  const last = dayNamed('2026-11-29');
  const rows = new Map(daysFrom(addDays(last, -249), last).map((day) => [day, { cost: 50 }]));
  const on = (platform: string, periodStarts: number) => {
    const viewAt = (asOf: number) =>
      under(createFakeView({ rows, asOf }), { money: COST, contract: { prices: [], periodStarts } });
    return { ...reportOf(platform, periodOf('week', last), last, viewAt), platform };
  };
  const [same, different] = [9, 10].map((day) => reportMarkdown([on('Claude', 9), on('Other', day)]));
  expect(same).toMatch(/^Agents used 700 USD .*; forecast of the month 3,000 \(/);
  expect(different).toMatch(/^Agents used 700 USD .*; seat fees are not included\.\n/);
});
