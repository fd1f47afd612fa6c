import { activityFamilies as activity } from '../../../src/collectors/activity/collector.ts';
import { spendFamilies as spend } from '../../../src/collectors/spend/collector.ts';
import { creditWeeks } from '../../../src/collectors/spend/comparisons.ts';
import { tokenFamilies as tokens } from '../../../src/collectors/tokens/collector.ts';
import { causesOfSpike, costOfSpike, modelsOfSpike, modelsReplaced, teamsOfSpike } from '../explained.ts';
import {
  dayInWords,
  enclosed,
  newestDayOf,
  numberOf,
  onNewestDay,
  percentageOf,
  valueInWords,
} from '../queries.ts';
import { type AlertDeclaration, OVER_GAPS, type RuleGroup, type RuleSettings } from '../rule.ts';

/** The window in which a new model is used on two days, and its alert fires: over a weekend, which does not count. */
const TWO_DAYS = '4d:6h';

/** Alerts about unusual days and new models. */
export function spendGroup(settings: RuleSettings): RuleGroup {
  return { name: 'agent-platform-spend', alerts: [creditSpike(settings), newModel(settings)] };
}

function creditSpike({ threshold }: RuleSettings): AlertDeclaration {
  const credits = onNewestDay(tokens.dailyCredits, 'tokens');
  return {
    name: 'CreditSpike',
    expr: `${credits}
> ${onNewestDay(spend.dailyCreditsExpectedUpper, 'tokens')}
> ${threshold('creditSpikeFloorMillions')} * 1e6`,
    severity: 'warning',
    for: '15m',
    keepFiringFor: OVER_GAPS,
    labels: ['org'],
    panel: 'credits/Credits by day',
    summary: 'A day used far more credits than usual',
    description: `Organization {{ $labels.org }} used {{ ${numberOf()} }} credits${costOfSpike()} on ${dayInWords('tokens')}. Its weekday usually uses ${valueInWords(spend.dailyCreditsExpected, 'tokens')} credits, and up to ${valueInWords(spend.dailyCreditsExpectedUpper, 'tokens')} are not unusual.${causesOfSpike()}${modelsOfSpike()}${teamsOfSpike()}`,
  };
}

function byModel(family: typeof spend.creditsShareByModel): string {
  return `sum by (org,model) (${onNewestDay(family, 'tokens', 'model!="other"')})`;
}

function newModel({ threshold }: RuleSettings): AlertDeclaration {
  const share = byModel(spend.creditsShareByModel);
  const before = byModel(spend.creditsShareByModelBaseline);
  // On a weekend, one person's model is everybody's; in a small team, one person's choice is always a large share.
  const ofPeople = `(${threshold('newModelPeople')} / ${onNewestDay(activity.dailyActiveUsersMean7d, 'activity')})`;
  const isOrdinary = `${onNewestDay(tokens.dailyCredits, 'tokens')} >= ${onNewestDay(creditWeeks.present, 'tokens')} / 14`;
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
    description: `Model {{ $labels.model }} used up to {{ ${percentageOf()} }} of the credits of organization {{ $labels.org }} on the days up to ${dayInWords('tokens')}, at least ${threshold('newModelGrowth')} times its share of the 14 days before.${modelsReplaced()}`,
  };
}
