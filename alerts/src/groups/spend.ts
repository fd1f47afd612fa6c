import { newestOf, type Queried } from '../../../dashboards/src/promql.ts';
import {
  creditsMonthBudget,
  creditsMonthForecast,
  creditsMonthToDate,
  creditsTrailing7d,
  creditsTrailing28d,
  dailyCreditsExpectedUpper,
} from '../../../src/collectors/spend/collector.ts';
import { dailyCredits, dailyCreditsByModel } from '../../../src/collectors/tokens/collector.ts';
import {
  dayInWords,
  daysShown,
  enclosed,
  newestDayOf,
  onNewestDay,
  type PastDay,
  shownOn,
} from '../queries.ts';
import type { AlertDeclaration, RuleGroup, RuleSettings } from '../rule.ts';

/** The time within which a model counts as seen before: Prometheus keeps 15 days by default. */
const MODEL_LOOKBACK = '14d';
/** Number of known days before a model's first one that are required to call it new. */
const KNOWN_DAYS = 6;

const recorded = [
  dailyCredits,
  dailyCreditsExpectedUpper,
  creditsTrailing7d,
  creditsTrailing28d,
  creditsMonthToDate,
  creditsMonthForecast,
];

/** Alerts about spend: unusual days, new models, the month against its budget. */
export function spendGroup(settings: RuleSettings): RuleGroup {
  return {
    name: 'agent-platform-spend',
    // One series per organization, regardless of the number of replicas: used several times below, and suited to
    // long-term storage.
    recordings: recorded.map((family) => ({ record: newest(family), expr: onNewestDay(family, 'tokens') })),
    alerts: [creditSpike(settings), newModel(settings), ...budgetAlerts(settings)],
  };
}

/** The recorded series of a family's value on the newest day. */
export function newest({ name }: Queried): string {
  return `org:${name}:newest`;
}

function creditSpike({ threshold }: RuleSettings): AlertDeclaration {
  return {
    name: 'CreditSpike',
    expr: `${newest(dailyCredits)} > ${newest(dailyCreditsExpectedUpper)}
and ${newest(dailyCredits)} > ${threshold('creditSpikeFloorMillions')} * 1e6
unless ${newest(dailyCredits)} < ${newest(creditsTrailing28d)} / 28`,
    severity: 'warning',
    for: '15m',
    keepFiringFor: '2h',
    summary: 'A day used far more credits than usual for its weekday',
    description: `Organization {{ $labels.org }} used {{ $value | humanize }} credits on ${dayInWords('tokens')}, more than expected for that weekday and at least as many as on an average day.`,
  };
}

function newModel({ threshold }: RuleSettings): AlertDeclaration {
  const before: PastDay = { dataset: 'tokens', is: '<=', daysBefore: threshold('newModelDays') };
  const byModel = { name: dailyCreditsByModel.name, labels: ['model'] };
  const credits = `sum by (org,model) ${enclosed(onNewestDay(dailyCreditsByModel, 'tokens', 'model!="other"'))}`;
  return {
    name: 'NewModelShare',
    expr: `${credits}
/ on (org) group_left () (${newest(creditsTrailing7d)} / 7)
> ${threshold('newModelRatio')}
unless on (org,model) ${shownOn(byModel, before, MODEL_LOOKBACK, ' > 0')}
and on (org) ${daysShown(before, MODEL_LOOKBACK)} >= ${KNOWN_DAYS}`,
    severity: 'info',
    for: '1h',
    keepFiringFor: '2h',
    summary: 'A new model uses a large share of the credits',
    description: `Model {{ $labels.model }}, which organization {{ $labels.org }} did not use before, used {{ $value | humanizePercentage }} of an average day's credits on ${dayInWords('tokens')}.`,
  };
}

function budgetAlerts({ threshold }: RuleSettings): readonly AlertDeclaration[] {
  const budget = newestOf(creditsMonthBudget);
  const toDate = newest(creditsMonthToDate);
  const pace = `${newest(creditsTrailing7d)} / 7`;
  const day = newestDayOf('tokens');
  const exceeded = `${toDate} > ${threshold('budgetUsedRatio')} * ${budget}`;
  return [
    {
      name: 'BudgetProjectedOver',
      expr: `${newest(creditsMonthForecast)} / ${budget} > ${threshold('budgetForecastRatio')}
unless ${exceeded}`,
      severity: 'warning',
      for: '1h',
      keepFiringFor: '2h',
      summary: 'The month is forecast to exceed its budget',
      description: `Organization {{ $labels.org }} is forecast to use {{ $value | humanizePercentage }} of the credits budgeted for the month of ${dayInWords('tokens')}.`,
    },
    {
      name: 'BudgetBurningFast',
      // At the rate of the last week, both a whole month and the rest of this one would exceed the budget.
      expr: `${pace} * days_in_month(${day}) / ${budget} > ${threshold('budgetBurnRate')}
and ${toDate} + ${pace} * (days_in_month(${day}) - day_of_month(${day})) > ${budget}
unless ${exceeded}`,
      severity: 'warning',
      for: '1h',
      keepFiringFor: '2h',
      summary: 'The budget is being used up fast',
      description: `In the seven days up to ${dayInWords('tokens')}, organization {{ $labels.org }} used credits at {{ $value | humanize }} times the rate that its monthly budget allows. At this rate the budget is exceeded within the month.`,
    },
    {
      name: 'BudgetExceeded',
      expr: `${toDate} / ${budget} > ${threshold('budgetUsedRatio')}`,
      severity: 'critical',
      for: '15m',
      keepFiringFor: '2h',
      summary: 'The budget of the month is used up',
      description: `Organization {{ $labels.org }} has used {{ $value | humanizePercentage }} of the credits budgeted for the month, counted up to ${dayInWords('tokens')}.`,
    },
  ];
}
