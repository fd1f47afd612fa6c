import { weeklyActiveUsers } from '../../../src/collectors/activity/collector.ts';
import { hookMetrics } from '../../../src/hooks/intake/metrics.ts';
import { dayInWords, onNewestDay, shownOn } from '../queries.ts';
import type { AlertDeclaration, RuleGroup, RuleSettings } from '../rule.ts';

/** Alerts about the use of agents, and about agents that wait for people. */
export function adoptionGroup(settings: RuleSettings): RuleGroup {
  return { name: 'agent-platform-adoption', alerts: [adoptionDropped(settings), sessionsWaiting(settings)] };
}

function adoptionDropped({ threshold }: RuleSettings): AlertDeclaration {
  // The value of a day a week ago was shown at most 102 h after its end; Prometheus keeps 15 days by default.
  const weekBefore = shownOn(
    weeklyActiveUsers,
    { dataset: 'activity', is: '==', daysBefore: '7' },
    '13d',
    ` >= ${threshold('adoptionLeastUsers')}`,
  );
  return {
    name: 'AdoptionDropped',
    expr: `1 - ${onNewestDay(weeklyActiveUsers, 'activity')}
/ ${weekBefore}
> ${threshold('adoptionDropRatio')}`,
    severity: 'info',
    for: '1h',
    // A day without a row has no weekly figure, but the next one does.
    keepFiringFor: '26h',
    summary: 'Fewer people use the agents than a week before',
    description: `The people of organization {{ $labels.org }} who were active in the seven days up to ${dayInWords('activity')} are {{ $value | humanizePercentage }} fewer than in the seven days before.`,
  };
}

function sessionsWaiting({ threshold }: RuleSettings): AlertDeclaration {
  return {
    name: 'SessionsWaiting',
    expr: `max by (job) (${hookMetrics.sessionsWaiting.name}) >= ${threshold('sessionsWaiting')}`,
    severity: 'info',
    for: '30m',
    keepFiringFor: '5m',
    summary: 'Agent sessions are waiting for a human',
    description:
      '{{ $value }} sessions that report to job {{ $labels.job }} have been waiting for an answer or a permission for at least 30 minutes.',
  };
}
