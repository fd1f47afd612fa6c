import { activityFamilies as activity } from '../../../src/collectors/activity/collector.ts';
import { ownMetrics } from '../../../src/exposition/own-metrics.ts';
import { hookMetrics } from '../../../src/intake/metrics.ts';
import {
  dayInWords,
  enclosed,
  firing,
  newestWeekday,
  numberOf,
  onNewestDay,
  percentageOf,
  valueInWords,
} from '../queries.ts';
import { type AlertDeclaration, alertName, OVER_GAPS, type RuleGroup, type RuleSettings } from '../rule.ts';

const people = onNewestDay(activity.dailyActiveUsers, 'activity');
const week = onNewestDay(activity.dailyActiveUsersMean7d, 'activity');
const weeksBefore = onNewestDay(activity.dailyActiveUsersMean7dBaseline, 'activity');
/** The newest Monday to Friday counts, also on the weekend after it. */
const WEEKDAY_WINDOW = '[4d:1h]';
/** A mean over seven days is this share of one over five working days. */
const WORKING_DAYS = 1.4;

/** Alerts about the use of agents, and about agents that wait for people. */
export function adoptionGroup(settings: RuleSettings): RuleGroup {
  return {
    name: 'agent-platform-adoption',
    alerts: [platformSilent(settings), adoptionDropped(settings), sessionsWaiting(settings)],
  };
}

function platformSilent({ threshold }: RuleSettings): AlertDeclaration {
  const silentWeekday = `${newestWeekday()} and on (org) ${people} == 0`;
  return {
    name: 'PlatformSilent',
    // A day without rows is published once no row of it can be late, one day after the other: within five days, two
    // weekdays were, over a weekend too.
    expr: `${weeksBefore} >= ${threshold('silentLeastUsers')}
and on (org) ${people} == 0
and on (org) count by (org) (max_over_time((
  count_values by (org) ("day", ${silentWeekday})
)[5d:6h])) >= 2`,
    severity: 'warning',
    for: '30m',
    keepFiringFor: OVER_GAPS,
    labels: ['org'],
    panel: 'adoption/Daily, weekly and monthly active people',
    summary: 'The platform reports no activity',
    description: `The platform reports nobody active in organization {{ $labels.org }} on the newest two weekdays, up to ${dayInWords('activity')}. In the four weeks before, {{ ${numberOf()} }} people were active on an average day.`,
  };
}

function adoptionDropped({ threshold }: RuleSettings): AlertDeclaration {
  const [limit, hysteresis] = [threshold('adoptionDropRatio'), threshold('adoptionHysteresis')];
  const drop = enclosed(`1 - ${week} / (${weeksBefore} >= ${threshold('adoptionLeastUsers')})`);
  const newestPeople = `last_over_time((${people} and on (org) ${newestWeekday()})${WEEKDAY_WINDOW})`;
  const name = 'AdoptionDropped';
  // Once it fires, it stays until the drop is smaller by the hysteresis: crossing the limit again notifies nobody.
  const stays = `${drop} > (${limit} - ${hysteresis})
and on (org) ${firing(alertName({ name }))}`;
  return {
    name,
    // Holidays of everybody are no drop: their days are almost empty, and the first day after them is as before.
    expr: `(
${drop} > ${limit}
or ${enclosed(stays)}
)
and on (org) ${newestPeople} < (1 - ${limit}) * ${WORKING_DAYS} * ${weeksBefore}
and on (org) ${newestPeople} > ${threshold('adoptionQuietRatio')} * ${weeksBefore}`,
    severity: 'info',
    for: '1h',
    keepFiringFor: OVER_GAPS,
    labels: ['org'],
    panel: 'adoption/Average active people per day',
    summary: 'Fewer people use the agents than in the weeks before',
    description: `In the seven days up to ${dayInWords('activity')}, ${valueInWords(activity.dailyActiveUsersMean7d, 'activity')} people of organization {{ $labels.org }} were active on an average day, {{ ${percentageOf()} }} fewer than the ${valueInWords(activity.dailyActiveUsersMean7dBaseline, 'activity')} of the four weeks before.`,
  };
}

function sessionsWaiting({ threshold }: RuleSettings): AlertDeclaration {
  return {
    name: 'SessionsWaiting',
    // Replicas that share a database see the same sessions, and each file has its own; the one before a restart does not count.
    expr: `sum by (job) (max by (job,store) (${hookMetrics.sessionsWaiting.name} * on (job,instance) group_left (store) topk by (job,instance) (1, ${ownMetrics.storeInfo.name}))) >= ${threshold('sessionsWaiting')}`,
    severity: 'info',
    for: '30m',
    keepFiringFor: '5m',
    labels: ['job'],
    panel: 'usage/Sessions waiting over time',
    summary: 'Agent sessions are waiting for a human',
    description:
      '{{ $value }} sessions that report to job {{ $labels.job }} have been waiting for an answer or a permission for at least 30 minutes.',
  };
}
