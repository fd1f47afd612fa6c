import { describe, expect, test } from 'vitest';
import { addDays } from '../../src/catalog/day.ts';
import { monthChart, ratioLine, sparkline } from '../../src/page/charts.ts';
import { breakdownCards, changeWords, figureCards, teamMonthsCard } from '../../src/page/figures.ts';
import { amountText } from '../../src/page/format.ts';
import type { Figure, OrgFigures, TeamMonth, TrendDay } from '../../src/page/org-figures.ts';
import { type IndexSort, sortedOrgs, totals } from '../../src/page/overview.ts';
import { contentOf } from '../../src/page/page.ts';
import { verdict } from '../../src/page/verdict.ts';
import { collectorStatus, NOW, orgStatus, serviceStatus, textOfPage } from '../server/fixtures.ts';
import { dayNamed } from '../support/day.ts';

const LAST = dayNamed('2026-11-19');

function trendOf(...values: readonly (number | undefined | readonly [number, number])[]): TrendDay[] {
  return values.map((given, index) => {
    const [value, upper] = typeof given === 'object' ? given : [given, undefined];
    return { day: addDays(LAST, index - values.length + 1), value, upper };
  });
}

function figureOf(changes: Partial<Figure> = {}): Figure {
  const trend = trendOf(1, 2, 3, 4, 5, 6, 7, 8);
  return {
    name: 'credits',
    family: 'agent_platform_daily_credits',
    isPublished: true,
    day: LAST,
    value: 8,
    weekBefore: 1,
    trend,
    ...changes,
  };
}

function allOf(...figures: readonly Figure[]): OrgFigures {
  return {
    figures,
    dayCost: undefined,
    monthCosts: [],
    monthBudget: undefined,
    monthForecast: undefined,
    repositories: 0,
    newestReportAt: undefined,
    worse: [],
    worseCount: 0,
  };
}

describe('the bars', () => {
  const draw = (trend: readonly TrendDay[]) =>
    sparkline({ id: 's', title: 'Credits', trend, format: String }).markup;

  test('have a gap for an unknown day and a line for zero', () => {
    const markup = draw(trendOf(0, undefined, 10));
    expect(markup).toContain('d="M0 48V47h6V48zM16 48V6h6V48z"');
    expect(markup).toContain('Lowest 0, highest 10. 1 day unknown.');
  });

  test('mark a day above its expected upper bound by shape, colour and words', () => {
    const markup = draw(trendOf([4, 8], [16, 8]));
    expect(markup).toContain('<path class="bars" d="M0 48V37.5h6V48z"/>');
    expect(markup).toContain(
      '<path class="unusual" d="M8 48V6h6V48z"/><path class="unusual" d="M8 0h6l-3 4z"/>',
    );
    expect(markup).toContain('<path class="bound" d="M-1 27h8M7 27h8"/>');
    expect(markup).toContain('Above the expected upper bound: Thu 19 Nov.');
  });

  test('clip a spike at twice its bound, with a gap and in words', () => {
    const markup = draw(trendOf([4, 8], [160, 8]));
    expect(markup).toContain('<path class="bars" d="M0 48V37.5h6V48z"/>');
    expect(markup).toContain('d="M8 48V13h6V48zM8 10V6h6V10z"/><path class="unusual" d="M8 0h6l-3 4z"/>');
    expect(markup).toContain('Clipped at twice the bound: Thu 19 Nov.');
  });

  test('are not flattened by a bound far above them', () => {
    expect(draw(trendOf([10, 1e9]))).toBe(draw(trendOf(10)));
  });

  test('name themselves for screen readers', () => {
    expect(draw(trendOf(1))).toMatch(
      /role="img"\s.*aria-labelledby="s-t s-d"><title id="s-t">Credits<\/title><desc/s,
    );
  });
});

describe('a change', () => {
  test.each([
    [{ value: 112, weekBefore: 100 }, '+12%'],
    [{ value: 50, weekBefore: 100 }, '−50%'],
    [{ value: 999, weekBefore: 1000 }, '±0%'],
    [{ value: 5, weekBefore: 0 }, '+5'],
    [{ value: 6_000, weekBefore: -2 }, '+6,002'],
    [{ value: -5, weekBefore: -2 }, '−3'],
    [{ value: 1_100, weekBefore: 100 }, '+1,000%'],
    [{ value: 3_820, weekBefore: 100 }, '× 38'],
    [{ value: 5, weekBefore: 5 }, 'no change'],
    [{ value: 5, weekBefore: undefined }, undefined],
    [{ name: 'readiness', value: 0.7, weekBefore: 0.75 }, '−5.0 points'],
    [{ name: 'readiness', value: 0.7, weekBefore: 0.7004 }, '±0.0 points'],
  ] as const)('of %j is %s', (changes, words) => {
    expect(changeWords(figureOf(changes))).toBe(words);
  });
});

describe('a figure', () => {
  const text = (figure: Figure) => figureCards(allOf(figure), 'x', NOW).markup.replace(/<[^>]*>/g, '');

  test('that is unusual says so', () => {
    expect(text(figureOf({ value: 16, trend: trendOf([16, 8]) }))).toContain('▲ unusually high');
    expect(text(figureOf())).not.toContain('unusually');
  });

  test('of credits is compared with the same as the verdict', () => {
    const all = {
      ...allOf(figureOf({ value: 30, weekBefore: 15 })),
      reason: { usual: 20, weeks: 4, cause: undefined },
    };
    const [card, said] = [figureCards(all, 'x', NOW), verdict(all)].map((one) =>
      one?.markup.replace(/<[^>]*>/g, ''),
    );
    expect(card).toContain('+50% against the mean of 4 Thursdays before (20)');
    expect(said).toContain('50% above the mean of 4 Thursdays before');
  });

  test('of a month with a budget in money has its forecast in the same currency', () => {
    const all = {
      ...allOf(figureOf({ name: 'month', value: 5e6, trend: [] })),
      monthCosts: [
        { currency: 'USD', amount: 75 },
        { currency: 'EUR', amount: 9.5 },
      ],
      costBudget: { currency: 'USD', amount: 100 },
      monthBudget: 40e6,
      monthForecast: 8e6,
      costForecast: { currency: 'USD', amount: 120, range: { lower: 100, upper: 150 } },
    };
    const shown = figureCards(all, 'x', NOW)
      .markup.replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ');
    expect(shown).toContain('Cost 75.00 USD and 9.50 EUR Budget 100.00 USD (75% used)');
    expect(shown).toContain('Forecast 120.00 USD (100 to 150) (120% of the budget) ▲ over budget');
    expect(verdict(all)?.markup.replace(/<[^>]*>/g, '')).toContain(
      'will reach 120% of the budget ▲ over budget',
    );
    const small = { currency: 'USD', amount: 1.2, range: { lower: 1, upper: 1.449 } };
    expect(figureCards({ ...all, costForecast: small }, 'x', NOW).markup).toContain('(1.00 to 1.45)');
    // Credits that are not priced in the currency of the budget say nothing about it.
    const other = { ...all, monthCosts: [], costForecast: undefined };
    expect(figureCards(other, 'x', NOW).markup.replace(/<[^>]*>/g, ' ')).toMatch(/40 M\s+\(12.5% used\)/);
  });

  test('that is absent says why', () => {
    const absent = { value: undefined, day: undefined, trend: [] };
    expect(text(figureOf(absent))).toContain('Not known yet.');
    expect(text(figureOf({ ...absent, isPublished: false }))).toContain('excluded by metrics.exclude');
    expect(text(figureOf({ ...absent, name: 'month' }))).toContain('a day of the month is not known yet');
  });
});

describe('the verdict', () => {
  const text = (changes: Partial<OrgFigures>, ...figures: readonly Figure[]) =>
    verdict({ ...allOf(...figures), ...changes })?.markup.replace(/<[^>]*>/g, '');
  const month = figureOf({ name: 'month', value: 120e6, weekBefore: undefined });

  const reason = { usual: 10, weeks: 4, cause: 'tokens per session', model: 'm<1>' };

  test('compares the day with its weekday, names the cause, and the month with the budget', () => {
    const credits = figureOf({ value: 69.4 });
    expect(text({ reason, monthBudget: 100e6, monthForecast: 155e6 }, credits, month)).toBe(
      'Spend on Thu 19 Nov was 594% above the mean of 4 Thursdays before, mostly by tokens per session, first of all m&lt;1&gt;; the month will reach 155% of the budget ▲ over budget.',
    );
  });

  test('says no more than what is known', () => {
    expect(text({})).toBeUndefined();
    expect(text({}, month)).toBe('the month has reached 120 M credits.');
    expect(text({ reason }, figureOf({ value: 10 }))).toBe(
      'Spend on Thu 19 Nov was the same as the mean of 4 Thursdays before.',
    );
    expect(text({ reason: { ...reason, weeks: 1, model: undefined } }, figureOf({ value: 5 }))).toBe(
      'Spend on Thu 19 Nov was 50% below the last Thursday, mostly by tokens per session.',
    );
    expect(text({ reason: { ...reason, cause: undefined } }, figureOf({ value: 5 }))).toBe(
      'Spend on Thu 19 Nov was 50% below the mean of 4 Thursdays before; no single cause stands out.',
    );
    const diffuse = { ...reason, cause: undefined, model: undefined };
    expect(
      text({ reason: { ...diffuse, largest: { name: 'm', share: 0.81 } } }, figureOf({ value: 15 })),
    ).toBe(
      'Spend on Thu 19 Nov was 50% above the mean of 4 Thursdays before; m has 81% of the rise, by several causes.',
    );
    expect(
      text({ reason: { ...diffuse, largest: { name: 'm', share: 1.2 } } }, figureOf({ value: 5 })),
    ).toContain('m has all of the fall, by several causes.');
    const team = { name: '<payments>', share: 0.714 };
    expect(text({ reason: { ...reason, team } }, figureOf({ value: 15 }))).toBe(
      'Spend on Thu 19 Nov was 50% above the mean of 4 Thursdays before, mostly in team &lt;payments&gt; (71% of the rise) and by tokens per session, first of all m&lt;1&gt;.',
    );
    expect(text({ reason: { ...diffuse, team: { ...team, share: 1.5 } } }, figureOf({ value: 5 }))).toBe(
      'Spend on Thu 19 Nov was 50% below the mean of 4 Thursdays before, mostly in team &lt;payments&gt; (all of the fall); no single cause stands out.',
    );
    const largest = { name: 'm', share: 0.81 };
    expect(text({ reason: { ...reason, model: undefined, largest } }, figureOf({ value: 15 }))).toContain(
      'mostly by tokens per session; m has 81% of the rise.',
    );
    expect(text({ reason }, figureOf({ value: 382 }))).toContain(
      'was 38 times the mean of 4 Thursdays before',
    );
    expect(text({}, figureOf({ value: 89_312_345 }))).toBe('Spend on Thu 19 Nov was 89.3 M credits.');
  });
});

test('the verdict names the team that exceeds its budget by most', () => {
  const credits = (amount: number) => ({ currency: undefined, amount });
  const teamOf = (team: string, used: number, forecast?: number): TeamMonth => ({
    team,
    credits: credits(used),
    budget: credits(10),
    ...(forecast !== undefined && { forecast: credits(forecast) }),
  });
  const said = (...teams: readonly TeamMonth[]) =>
    verdict({
      ...allOf(figureOf({ name: 'month', value: 120 })),
      teamMonths: { day: LAST, teams, rest: 0 },
    })?.markup.replace(/<[^>]*>/g, '');
  expect(said(teamOf('a', 5, 12), teamOf('<b>', 9, 15), teamOf('c', 9, 9))).toBe(
    'the month has reached 120 credits; team &lt;b&gt; will reach 150% of its budget ▲ over budget, 1 other team more than theirs.',
  );
  expect(said(teamOf('a', 11))).toContain('; team a has reached 110% of its budget ▲ over budget.');
  expect(said(teamOf('a', 9))).toBe('the month has reached 120 credits.');
});

test.each([
  ['USD', 1234.5, '1,234.50'],
  ['JPY', 1234.5, '1,235'],
  ['KWD', 1.2, '1.200'],
  ['USD', 0.00123, '0.0012'],
  ['JPY', -0.2, '-0.2'],
  ['EUR', 0, '0.00'],
  ['credits?', 2, '2.00'],
])('an amount in %s of %d is %s', (currency, amount, text) => {
  expect(amountText({ currency, amount })).toBe(text);
});

describe('the month and the readiness', () => {
  test('are drawn to the end of the month, with budget and forecast', () => {
    const all = { ...allOf(), monthBudget: 150, monthForecast: 200 };
    const markup = monthChart('m', 'Month', trendOf(50, 100), all)?.markup ?? '';
    expect(markup).toContain('<path class="bars"');
    expect(markup).toContain('<path class="ahead"');
    expect(markup).toContain('<path class="budget" d="M0 13.5H240"/>');
    expect(markup).toContain('Mon 30 Nov');
  });

  test('are a line between bounds that do not exaggerate', () => {
    const markup = ratioLine('r', 'Readiness', trendOf(0.62, undefined, 0.63, 0.64))?.markup ?? '';
    expect(markup).toContain('scale 55% to 70%');
    expect(markup.match(/M\d/g)).toHaveLength(2);
    expect(ratioLine('r', 'Readiness', trendOf(1))?.markup).toContain('scale 95% to 100%');
  });
});

describe('parts', () => {
  test('have their value, change and share, and the number of those that are not listed', () => {
    const markup = breakdownCards(
      {
        ...allOf(),
        seats: 50,
        breakdowns: [
          {
            name: 'clients',
            family: 'agent_platform_daily_active_users_by_client',
            day: LAST,
            rows: [
              { label: '<b>', value: 20, before: 10 },
              { label: 'web', value: 5, before: undefined },
            ],
            rest: 3,
          },
        ],
      },
      'p',
    )?.markup;
    expect(markup?.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')).toContain(
      'People by client Fri 13 Nov to Thu 19 Nov , a day on average, against the 7 days before, of 50 seats &lt;b&gt; 20 +100% web 5 and 3 more',
    );
    expect(markup).toContain('d="M0 0h25v1H0z"');
    expect(breakdownCards(allOf(), 'p')).toBeUndefined();
  });
});

describe('the months of teams', () => {
  const credits = (amount: number) => ({ currency: undefined, amount });
  const usd = (amount: number) => ({ currency: 'USD', amount });
  const markupOf = (rest: number, ...teams: readonly Partial<TeamMonth>[]) =>
    teamMonthsCard(
      {
        ...allOf(),
        teamMonths: { day: LAST, rest, teams: teams.map((team) => ({ team: '<t>', ...team })) },
      },
      'x',
    )?.markup ?? '';
  const text = (markup: string) =>
    markup
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();

  test('are a row each, with blanks for what is not published', () => {
    const markup = markupOf(
      4,
      {
        ...{ credits: credits(25e6), cost: usd(67.5), forecast: credits(110e6), costForecast: usd(297) },
        ...{ budget: credits(100e6), probability: credits(0.734) },
      },
      { team: 'unassigned', credits: credits(-3) },
    );
    expect(text(markup)).toBe(
      'Teams, month to date Sun 1 Nov to Thu 19 Nov Team Credits Cost Forecast Budget Over budget ' +
        '&lt;t&gt; 25 M 67.50 USD 110 M 297.00 USD 100 M 25% used, 110% expected ▲ over budget 73.4% likely ' +
        'unassigned -3 and 4 more',
    );
    expect(markup.match(/<div><\/div>/g)).toHaveLength(4);
  });

  test('have shares of a budget in the currency of their cost, and of no other', () => {
    const month = { credits: credits(25e6), cost: usd(150), forecast: credits(50e6), costForecast: usd(300) };
    expect(text(markupOf(0, { ...month, budget: usd(600) }))).toMatch(/600.00 USD 25% used, 50% expected$/);
    expect(text(markupOf(0, { ...month, budget: { currency: 'EUR', amount: 600 } }))).toMatch(/600.00 EUR$/);
    expect(text(markupOf(0, { ...month, budget: credits(0) }))).toMatch(/300.00 USD 0$/);
  });

  test('have no column of nothing, and are absent where none is published', () => {
    expect(text(markupOf(0, { credits: credits(5) }))).toBe(
      'Teams, month to date Sun 1 Nov to Thu 19 Nov Team Credits &lt;t&gt; 5',
    );
    expect(teamMonthsCard(allOf(), 'x')).toBeUndefined();
  });
});

describe('the order of an index', () => {
  const failure = { reason: 'server', message: 'down', since: NOW } as const;
  const orgs = [
    orgStatus({ name: 'b' }),
    orgStatus({ name: 'over' }),
    orgStatus({ name: 'down', collectors: [collectorStatus({ failure })] }),
    orgStatus({ name: 'a' }),
  ];
  const figures = new Map([
    ['a', { ...allOf(figureOf({ value: 1 })), dayCost: { currency: 'USD', amount: 2 } }],
    ['b', allOf(figureOf({ value: 9 }))],
    ['over', { ...allOf(figureOf({ value: 5 })), monthBudget: 10, monthForecast: 11 }],
  ]);
  const namesBy = (sort?: IndexSort) => sortedOrgs(orgs, figures, sort).map(({ name }) => name);

  test('puts what fails first, then what exceeds its budget', () => {
    expect(namesBy()).toEqual(['down', 'over', 'b', 'a']);
    expect(namesBy('name')).toEqual(['a', 'b', 'down', 'over']);
    expect(namesBy('credits')).toEqual(['b', 'over', 'a', 'down']);
  });

  test('has a total that says of how many organizations it is', () => {
    expect(totals(orgs, figures)?.markup.replace(/<[^>]*>/g, '')).toBe(
      'All 4 organizations: 15 credits on the newest day of each (3 of 4 organizations), 2 USD (1 of 4 organizations), ▲ 1 organization over budget.',
    );
  });

  test('has a total of the month only where all have the same month', () => {
    const month = figureOf({ name: 'month', value: 7 });
    const totalOf = (...all: readonly ReturnType<typeof allOf>[]) =>
      totals(orgs, new Map(all.map((one, index) => [['a', 'b'][index] ?? '', one] as const)))?.markup.replace(
        /<[^>]*>/g,
        '',
      );
    expect(totalOf(allOf(month), allOf(month))).toContain('14 credits in the month (2 of 4 organizations)');
    expect(totalOf(allOf(month), { ...allOf(month), monthStarts: 15 })).not.toContain('in the month');
  });
});

describe('the index of organizations', () => {
  test('shows the share of the budget that is used, or the expected one if only that exceeds it', () => {
    const shareWith = (value: number, monthForecast: number) => {
      const one = orgs.slice(0, 6);
      const month = figureOf({ name: 'month', value });
      const all = new Map(one.map(({ name }) => [name, { ...allOf(month), monthBudget: 10, monthForecast }]));
      const shown = serviceStatus({ orgs: one });
      const content = contentOf(shown, {});
      return content && textOfPage(shown, content, all).replace(/<[^>]*>/g, '');
    };
    expect(shareWith(5, 9)).toMatch(/ 50% of the budget(?! expected)/);
    expect(shareWith(9.2, 10.7)).toContain('107% of the budget expected ▲ over budget');
    expect(shareWith(12, 13)).toContain('120% of the budget ▲ over budget');
  });

  const orgs = Array.from({ length: 501 }, (_, index) => orgStatus({ name: `org${index}` }));
  const figures = new Map(orgs.map(({ name }) => [name, allOf(figureOf())]));
  const status = serviceStatus({ orgs });
  const indexOf = (page: number) => {
    const content = contentOf(status, { page });
    return content === undefined ? '' : textOfPage(status, content, figures);
  };

  test('has at most 500 on a page, of bounded size', () => {
    const [first, second] = [indexOf(1), indexOf(2)];
    expect(first.match(/<th scope="row"/g)).toHaveLength(500);
    expect(second.match(/<th scope="row"/g)).toHaveLength(1);
    expect(first).toContain('Page 1 of 2 pages.');
    expect(second).toContain('<a href="?page=1">Previous</a>');
    expect(indexOf(99)).toBe(second);
    expect(first.length).toBeLessThan(1_000_000);
  });
});

describe('where there are no credits', () => {
  const cost = figureOf({ value: 412.8, currency: 'USD' });
  const month = figureOf({ name: 'month', value: 900.5, currency: 'USD' });
  const all = {
    ...allOf(cost, month),
    dayCost: { currency: 'USD', amount: 412.8 },
    monthCosts: [{ currency: 'USD', amount: 900.5 }],
    monthForecast: 1_234.5,
  };

  const textOf = (markup: string) =>
    markup
      .replaceAll(/<\/?(?:strong|data|time|span)\b[^>]*>/g, '')
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();

  test('the day and the month are amounts of money', () => {
    const text = textOf(figureCards(all, 'o', NOW).markup);
    expect(text).toContain('Cost 412.80 USD');
    expect(text).toContain('Cost, month to date 900.50 USD');
    expect(text).not.toMatch(/credit/i);
    expect(textOf(verdict(all)?.markup ?? '')).toBe(
      'Spend on Thu 19 Nov was 412.80 USD; the month will reach 1,234.50 USD.',
    );
  });

  test('money is not added to credits', () => {
    const orgs = [orgStatus({ name: 'a' }), orgStatus({ name: 'b' })];
    const figures = new Map([
      ['a', all],
      ['b', allOf(figureOf({ value: 8 }))],
    ]);
    expect(textOf(totals(orgs, figures)?.markup ?? '')).toBe(
      'All 2 organizations: 8 credits on the newest day of each (1 of 2 organizations), 413 USD (1 of 2 organizations).',
    );
  });
});
