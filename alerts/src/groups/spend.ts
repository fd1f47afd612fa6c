import type { Queried } from '../../../dashboards/src/promql.ts';
import { activityFamilies as activity } from '../../../src/collectors/activity/collector.ts';
import { spendFamilies as spend } from '../../../src/collectors/spend/collector.ts';
import { creditWeeks } from '../../../src/collectors/spend/comparisons.ts';
import { tokenFamilies as tokens } from '../../../src/collectors/tokens/collector.ts';
import { platforms } from '../../../src/platforms/list.ts';
import {
  causesOfSpike,
  costOfSpike,
  modelsOfSpike,
  modelsReplaced,
  sharesBefore,
  sharesByModel,
  teamsOfSpike,
} from '../explained.ts';
import {
  type Amounts,
  amountInWords,
  dayInWords,
  enclosed,
  inEither,
  inWords,
  newestDayOf,
  numberOf,
  ORG,
  onNewestDay,
  onPlatforms,
  percentageOf,
} from '../queries.ts';
import { type AlertDeclaration, OVER_GAPS, type RuleGroup, type RuleSettings } from '../rule.ts';

/** The window in which a new model is used on two days, and its alert fires: over a weekend, which does not count. */
const TWO_DAYS = '4d:6h';

/** Alerts about unusual days and new models. */
export function spendGroup(settings: RuleSettings): RuleGroup {
  return { name: 'agent-platform-spend', alerts: [creditSpike(settings), newModel(settings)] };
}

/** The amount of the newest day, its bound, and what is expected of it. */
const ofDay = { credits: tokens.dailyCredits, money: spend.dailyCost };
const upper = { credits: spend.dailyCreditsExpectedUpper, money: spend.dailyCostExpectedUpper };
const expected = { credits: spend.dailyCreditsExpected, money: spend.dailyCostExpected };

/** PromQL for the days below the floor of their platform: the threshold is that of the first one, and of an unknown one. */
function smallDays({ threshold }: RuleSettings): string {
  const [, ...others] = platforms;
  const first = `${onNewestDay(ofDay.credits, 'tokens')} <= ${threshold('creditSpikeFloorMillions')} * 1e6`;
  const isOther = ` unless on (org) ${onPlatforms(...others.map(({ name }) => name))}`;
  return [
    `${first}${others.length === 0 ? '' : isOther}`,
    ...others.map(({ name, money: { measure, floor } }) => {
      const day = onNewestDay(measure === 'cost' ? ofDay.money : ofDay.credits, 'tokens');
      return `${day} <= ${floor} and on (org) ${onPlatforms(name)}`;
    }),
  ].join('\nor\n');
}

function creditSpike(settings: RuleSettings): AlertDeclaration {
  const above = (unit: 'credits' | 'money') =>
    `${onNewestDay(ofDay[unit], 'tokens')}\n> ${onNewestDay(upper[unit], 'tokens')}`;
  const inMoney = inWords(
    onNewestDay(upper.money, 'tokens', ORG.where),
    ORG.args,
    ' {{ . | first | label "currency" }}',
    ` credits${costOfSpike()}`,
  );
  return {
    name: 'CreditSpike',
    expr: `${enclosed(`${above('credits')}\nor\nmax by (org) ${enclosed(above('money'))}`)}
unless on (org) ${enclosed(smallDays(settings))}`,
    severity: 'warning',
    for: '15m',
    keepFiringFor: OVER_GAPS,
    labels: ['org'],
    panel: 'credits/Credits by day',
    summary: 'A day used far more credits than usual',
    description: `Organization {{ $labels.org }} used {{ ${numberOf()} }}${inMoney} on ${dayInWords('tokens')}. Its weekday usually uses ${amountInWords(expected, 'tokens')}, and up to ${amountInWords(upper, 'tokens', ORG, '')} are not unusual.${causesOfSpike()}${modelsOfSpike()}${teamsOfSpike()}`,
  };
}

function byModel(shares: Amounts): string {
  return `sum by (org,model) ${inEither(shares, 'tokens', 'model!="other"')}`;
}

/** PromQL for the organizations whose newest day has at least half of the use of an average day of its week. */
function ordinaryDay(unit: 'credits' | 'money', week: Queried): string {
  return `${onNewestDay(ofDay[unit], 'tokens')} >= ${onNewestDay(week, 'tokens')} / 14`;
}

function newModel({ threshold }: RuleSettings): AlertDeclaration {
  const share = byModel(sharesByModel);
  const before = byModel(sharesBefore);
  // On a weekend, one person's model is everybody's; in a small team, one person's choice is always a large share.
  const ofPeople = `(${threshold('newModelPeople')} / ${onNewestDay(activity.dailyActiveUsersMean7d, 'activity')})`;
  const inMoney = `max by (org) (${ordinaryDay('money', spend.costWeeks.present)})`;
  const isOrdinary = enclosed(
    `${ordinaryDay('credits', creditWeeks.present)}\nor on (org)\n${inMoney} unless on (org) ${onNewestDay(ofDay.credits, 'tokens')}`,
  );
  const use = inWords(onNewestDay(upper.money, 'tokens', ORG.where), ORG.args, 'cost', 'credits');
  const unusual = enclosed(`${share}
> ${threshold('newModelRatio')}
> ${threshold('newModelGrowth')} * ${before}
>= on (org) group_left () ${ofPeople}
and on (org) ${isOrdinary}`);
  const unusualDay = enclosed(`0 * ${unusual} + on (org) group_left () ${newestDayOf('tokens')}`);
  return {
    name: 'NewModelShare',
    // One day alone is a trial.
    expr: `max_over_time(${unusual}[${TWO_DAYS}])
and
changes(${unusualDay}[${TWO_DAYS}]) > 0`,
    severity: 'info',
    for: '1h',
    keepFiringFor: OVER_GAPS,
    labels: ['org', 'model'],
    panel: 'credits/Share of each model by week',
    // A share is one of all models.
    unselected: ['model'],
    summary: 'A new model uses a large share of the credits',
    description: `Model {{ $labels.model }} used up to {{ ${percentageOf()} }} of the ${use} of organization {{ $labels.org }} on the days up to ${dayInWords('tokens')}, at least ${threshold('newModelGrowth')} times its share of the 14 days before.${modelsReplaced()}`,
  };
}
