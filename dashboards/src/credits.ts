import type { QueryVariableBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import type { Cause } from '../../src/collectors/explain/decompose.ts';
import { spendFamilies as spend } from '../../src/collectors/spend/collector.ts';
import { dailyCreditsUnusual } from '../../src/collectors/spend/comparisons.ts';
import { unitFamilies } from '../../src/collectors/spend/unit-economics.ts';
import { tokenFamilies as tokens } from '../../src/collectors/tokens/collector.ts';
import { spendEvents } from './annotations.ts';
import type { DashboardSpec } from './dashboard.ts';
import { daily, newest, promql } from './expression.ts';
import { dailyTotal, ofOne, selectedOrgs } from './figures.ts';
import { eachByDay, sharesByWeek } from './largest.ts';
import type { Row } from './layout.ts';
import { links } from './links.ts';
import { AMOUNT, costByDay, creditsTile } from './money.ts';
import { month } from './months.ts';
import { totals } from './organizations.ts';
import { coloursOf, palette } from './palette.ts';
import { bars, lines } from './panels/chart.ts';
import { drillTo, orgLink } from './panels/drill.ts';
import { ranking } from './panels/ranking.ts';
import { type TableColumn, table } from './panels/table.ts';
import { tile } from './panels/tile.ts';
import { days, type Look, type Query } from './query.ts';
import { labelVariable, seriesOf } from './variables.ts';
import { costOfOne, weeklyCost } from './without-credits.ts';

/** The selected models. */
const MODEL = { model: '$model' } as const;

/** Selects a model. */
export const modelLink = drillTo(links.credits, 'model');

/** The columns of a ranking of models. */
export const MODEL_AND_TIER = [
  { of: 'model', title: 'Model', to: modelLink },
  { of: 'tier', title: 'Tier', width: 90 },
];

function modelVariable(): QueryVariableBuilder {
  const metric = seriesOf(tokens.dailyCreditsByModel, spend.dailyCostByModel);
  return labelVariable('model', 'Model', { metric }).description(
    'Models; the panels by model show the selected ones',
  );
}

/** What the unit families divide by, in their order. */
const UNITS = ['person-day', 'commit', 'pull request'] as const;

const money: Row = {
  title: 'Money',
  panels: [
    creditsTile(),
    totals(),
    costByDay({ height: 12 }),
    ranking({
      title: 'Models by cost',
      text: 'Cost of each model over the days in the range, by currency. Currencies have no total: Cost by day has that of each.',
      ...AMOUNT,
      labels: [
        { of: 'model', title: 'Model', to: modelLink, width: 250 },
        { of: 'currency', title: 'Currency', width: 100 },
      ],
      value: 'Cost',
      figure: days(daily(spend.dailyCostByModel, { by: ['model', 'currency'], orgs: 'summed', only: MODEL })),
      noValue: 'No price known',
      width: 12,
      height: 12,
    }),
    table({
      title: 'Cost by organization',
      text: 'Cost of each organization: the billing month to date, the forecast for the whole month and what it falls short of and exceeds in one of ten cases, the 7 days that end with the newest complete day, the 7 days before, and the current price of a million credits.',
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.credits) },
        { of: 'currency', title: 'Currency', width: 95 },
        { of: newest(spend.costMonthToDate), title: 'To date', ...AMOUNT },
        { of: newest(spend.costMonthForecast), title: 'Forecast', ...AMOUNT },
        { of: newest(spend.costWeeks.present), title: '7 days', ...AMOUNT },
        { of: newest(spend.costWeeks.before), title: '7 days before', ...AMOUNT },
        { of: promql`1e6 * ${newest(spend.creditPrice)}`, title: 'Per million', ...AMOUNT },
        { of: newest(spend.costMonthForecastLower), title: 'Forecast from', ...AMOUNT },
        { of: newest(spend.costMonthForecastUpper), title: 'Forecast to', ...AMOUNT },
      ],
      sort: { by: 'To date', desc: true },
      noValue: '–',
      height: 5,
    }),
  ],
};

/** The credits of each day that are attributed to no model, and those that are attributed to no user, drawn as given. */
function unattributed(draw: Pick<Look, 'draw'> = {}): readonly Query[] {
  const of = (breakdown: string) =>
    daily(tokens.dailyCreditsUnattributed, { by: [], orgs: 'summed', only: { breakdown } });
  return [
    days(of('model'), 'not attributed to models'),
    days(of('user'), 'not attributed to users', { colour: palette.second, ...draw }),
  ];
}

const unusual = daily(dailyCreditsUnusual);

/** The causes with a colour of their own: those of a day on which everything is known, and of a day without use. */
const CAUSES = [
  'people',
  'sessions_per_person',
  'tokens_per_session',
  'models_used',
  'price_of_tokens',
  'use',
] as const satisfies readonly Cause[];

const byDay: Row = {
  title: 'Expected and unusual days',
  panels: [
    bars({
      title: 'Credits by day',
      text: 'Standard Credits of each UTC day. The expected value of an organization is the median of the same weekday in the eight weeks before; above its dashed line a day is unusual; select one organization to see both. Credits of organizations above that line and above their mean day of four weeks are highlighted. On the right, expected and unusual days in money of an organization whose platform counts no credits; Cost by day has all its days.',
      queries: [
        days(dailyTotal(tokens.dailyCredits), 'credits'),
        days(dailyTotal(dailyCreditsUnusual), 'unusual', { colour: palette.alarm }),
        days(ofOne(daily(spend.dailyCreditsExpected), selectedOrgs), 'expected', {
          draw: 'line',
          colour: palette.quiet,
        }),
        days(ofOne(daily(spend.dailyCreditsExpectedUpper), selectedOrgs), 'unusual above', {
          draw: 'dashes',
          colour: palette.second,
        }),
        costOfOne(spend.dailyCostUnusual, 'unusual', { colour: palette.deep }),
        costOfOne(spend.dailyCostExpected, 'expected', { draw: 'line', colour: palette.third }),
        costOfOne(spend.dailyCostExpectedUpper, 'unusual above', { draw: 'dashes', colour: palette.fourth }),
      ],
      width: 18,
      height: 10,
    }),
    {
      width: 6,
      column: [
        tile({
          title: 'Credits in the range',
          text: 'The sum of the days shown.',
          queries: [days(dailyTotal(tokens.dailyCredits), 'credits')],
          reduce: 'sum',
          height: 3,
        }),
        tile({
          title: 'Unusual days',
          text: 'Number of organizations’ days in the range above the upper bound of their weekday and above the mean day of four weeks.',
          unit: 'none',
          queries: [
            days(promql`sum(${unusual} > bool 0)`, 'days'),
            days(promql`sum(${daily(spend.dailyCostUnusual)} > bool 0)`, 'days in money'),
          ],
          reduce: 'sum',
          noValue: 'Too early',
          height: 3,
        }),
        tile({
          title: 'Unattributed',
          text: 'Credits in the range that are not attributed to a model, and not attributed to a user: the total minus the sum of the breakdown. They can be negative.',
          queries: unattributed(),
          reduce: 'sum',
        }),
      ],
    },
    bars({
      title: 'Changes by cause',
      text: 'By how much the credits of each UTC day differ from the mean of the same weekday in the four weeks before, by cause, of the organizations together. The causes of a day add up to the difference.',
      stack: 'values',
      queries: [
        days(
          promql`${daily(spend.creditsChangeByCause, { orgs: 'summed' })} != 0`,
          '{{cause}}',
          coloursOf(CAUSES),
        ),
      ],
      width: 24,
    }),
  ],
};

/** The columns of what a person's day, a commit or a pull request costs, of a credit family and one in money for each. */
const unitColumns = unitFamilies.map((family, index): TableColumn => {
  const [inCredits, what] = [index % 2 === 0, UNITS[Math.floor(index / 2)]];
  return inCredits
    ? { of: newest(family), title: `Credits per ${what}` }
    : { of: newest(family), title: `Cost per ${what}`, ...AMOUNT };
});

const unitCosts: Row = {
  title: 'What a day of work, a commit and a pull request cost',
  panels: [
    table({
      title: 'Unit costs of 28 days',
      text: 'Credits and cost of each organization in the 28 days that end with the newest complete day, divided by the days on which its people were active, and by the commits and the pull requests made through the agent. Not the price of one of them: the credits also pay for all other work. Blank with fewer than ten of what they are divided by. Quotients have no total.',
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.credits), width: 125 },
        { of: 'currency', title: 'Currency', width: 80 },
        ...unitColumns,
      ],
      sort: { by: 'Organization', desc: false },
      noValue: '–',
      height: 5,
    }),
  ],
};

const models: Row = {
  title: 'Models and tiers',
  panels: [
    ranking({
      title: 'Models by credits',
      text: 'Standard Credits of each model and tier over the days in the range, largest first.',
      labels: MODEL_AND_TIER,
      value: 'Credits',
      figure: days(daily(tokens.dailyCreditsByModel, { orgs: 'summed', only: MODEL })),
      width: 10,
      height: 10,
    }),
    sharesByWeek(tokens.dailyCreditsByModel, {
      label: 'model',
      only: MODEL,
      note: ' A model that starts or ends was added or removed. Where the platform counts no credits, all models as shares of the cost, if it is in one currency.',
      others: [weeklyCost(spend.dailyCostByModel, 'model', MODEL.model)],
    }),
    bars({
      title: 'Tiers by day',
      text: 'Standard Credits of each UTC day by the tier of the model.',
      stack: 'values',
      queries: [
        days(
          daily(tokens.dailyCreditsByModel, { by: ['tier'], orgs: 'summed', only: MODEL }),
          '{{tier}}',
          coloursOf(['standard', 'thinking']),
        ),
      ],
      width: 14,
    }),
    bars({
      title: 'Unattributed by day',
      text: 'Credits of each UTC day that are not attributed to a model, and not attributed to a user. Below zero if a breakdown sums to more than the total.',
      // Bars at the same place would hide each other.
      queries: unattributed({ draw: 'line' }),
      width: 10,
    }),
  ],
};

const KINDS = {
  input: palette.main,
  cache_read: palette.second,
  cache_write: palette.third,
  output: palette.fourth,
} as const;

function modelsByTokens(kind: 'input' | 'output') {
  return ranking({
    title: `Models by ${kind} tokens`,
    text: `Raw ${kind} tokens of each model over the days in the range.`,
    labels: [{ of: 'model', title: 'Model', to: modelLink }],
    value: 'Tokens',
    figure: days(
      daily(tokens.dailyTokensByModel, { by: ['model'], orgs: 'summed', only: { ...MODEL, kind } }),
    ),
    width: 12,
    height: 9,
  });
}

const raw: Row = {
  title: 'Tokens',
  panels: [
    lines({
      title: 'Tokens by kind',
      text: 'Raw tokens of each UTC day. They are not stacked, because input tokens can include cached tokens.',
      queries: [
        days(daily(tokens.dailyTokens, { orgs: 'summed' }), '{{kind}}', {
          colour: palette.quiet,
          colours: KINDS,
        }),
      ],
      width: 8,
    }),
    lines({
      title: 'Cache share',
      text: 'Tokens read from the prompt cache per input token, of each organization and UTC day. Cached tokens are cheaper: when the share falls, the same work costs more. It can exceed 100 % if the platform does not count cached tokens as input.',
      unit: 'percentunit',
      queries: eachByDay(tokens.dailyCacheReadRatio),
      width: 8,
    }),
    lines({
      title: 'Credits per million tokens',
      text: 'Standard Credits for each million of input and output tokens, of each organization and UTC day. It rises with more expensive models and with less caching.',
      queries: eachByDay(tokens.dailyCreditsPerMillionTokens),
      width: 8,
    }),
    modelsByTokens('input'),
    modelsByTokens('output'),
  ],
};

/** Cost and credits: the month against its budget, unusual days, models. */
export const credits: DashboardSpec = {
  ...links.credits,
  description: 'Cost and credits: the month against its budget, unusual days, models and tokens.',
  rows: [money, month, byDay, unitCosts, models, raw],
  events: spendEvents,
  variables: [modelVariable()],
};
