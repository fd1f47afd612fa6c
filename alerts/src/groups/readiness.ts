import { newestOf } from '../../../dashboards/src/promql.ts';
import {
  readinessCriteriaRegressed,
  readinessRatio,
  readinessRatioPrevious,
  readinessReportTimestampSeconds,
} from '../../../src/collectors/readiness/collector.ts';
import { onNewestReport } from '../queries.ts';
import type { RuleGroup, RuleSettings } from '../rule.ts';

/** Alerts about repositories that regress, and about old reports. */
export function readinessGroup({ threshold }: RuleSettings): RuleGroup {
  const timestamp = readinessReportTimestampSeconds;
  const made = newestOf(timestamp);
  const recent = `and on (org,repo) (time() - ${made} < ${threshold('readinessFreshDays')} * 86400)`;
  return {
    name: 'agent-platform-readiness',
    alerts: [
      {
        name: 'ReadinessDropped',
        // Rounded, because 0.6 - 0.55 is a little less than 0.05.
        expr: `round(100 * (
${onNewestReport(readinessRatioPrevious, timestamp)}
-
${onNewestReport(readinessRatio, timestamp)}
), 0.01) >= ${threshold('readinessDropPoints')}
${recent}`,
        severity: 'warning',
        for: '15m',
        keepFiringFor: '2h',
        summary: 'The readiness of a repository dropped',
        description:
          'The newest readiness report of {{ $labels.repo }} (organization {{ $labels.org }}) scores {{ $value | humanize }} percentage points lower than the previous one.',
      },
      {
        name: 'ReadinessCriteriaRegressed',
        expr: `${onNewestReport(readinessCriteriaRegressed, timestamp)} >= ${threshold('readinessCriteriaRegressed')}
${recent}`,
        severity: 'info',
        for: '15m',
        keepFiringFor: '2h',
        summary: 'Readiness criteria regressed',
        description:
          '{{ $value }} criteria score lower in the newest readiness report of {{ $labels.repo }} (organization {{ $labels.org }}) than in the previous one.',
      },
      {
        name: 'ReadinessReportOld',
        expr: `time() - ${made} > ${threshold('readinessOldDays')} * 86400`,
        severity: 'info',
        for: '1h',
        keepFiringFor: '2h',
        summary: 'The readiness report of a repository is old',
        description:
          'The newest readiness report of {{ $labels.repo }} (organization {{ $labels.org }}) was created {{ $value | humanizeDuration }} ago.',
      },
    ],
  };
}
