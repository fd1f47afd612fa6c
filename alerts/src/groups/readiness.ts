import { newestOf } from '../../../dashboards/src/promql.ts';
import { readinessFamilies as reports } from '../../../src/collectors/readiness/collector.ts';
import { criteriaOfDrop } from '../explained.ts';
import { dateInWords, inWords, numberOf, onNewestReport, percentageOf, REPO } from '../queries.ts';
import { OVER_GAPS, OVER_OUTAGES, type RuleGroup, type RuleSettings } from '../rule.ts';

/** Alerts about repositories that get worse, and about old reports. */
export function readinessGroup({ threshold }: RuleSettings): RuleGroup {
  const timestamp = reports.readinessReportTimestampSeconds;
  const made = newestOf(timestamp);
  const ratio = onNewestReport(reports.readinessRatio, timestamp);
  const inReport = (family: typeof reports.readinessRatio) => {
    const percentage = `{{ ${percentageOf('. | first | value')} }}`;
    return inWords(onNewestReport(family, timestamp, REPO.where), REPO.args, percentage, 'an unknown share');
  };
  const madeAt = dateInWords(timestamp, REPO, 'the newest report');
  return {
    name: 'agent-platform-readiness',
    alerts: [
      {
        name: 'ReadinessDropped',
        // Rounded, because 0.6 - 0.55 is a little less than 0.05.
        expr: `round(100 * (
${onNewestReport(reports.readinessRatioPrevious, timestamp)}
-
${ratio}
), 0.01) >= ${threshold('readinessDropPoints')}
and on (org,repo) ${ratio}
< ${onNewestReport(reports.readinessRatioLower, timestamp)}
and on (org,repo) (time() - ${made} < ${threshold('readinessFreshDays')} * 86400)`,
        severity: 'warning',
        for: '15m',
        keepFiringFor: OVER_GAPS,
        labels: ['org', 'repo'],
        panel: 'readiness/Criteria that changed since the previous report',
        summary: 'The readiness of a repository dropped',
        description: `The readiness of {{ $labels.repo }} (organization {{ $labels.org }}) fell by {{ ${numberOf()} }} percentage points to ${inReport(reports.readinessRatio)} with the report of ${madeAt}. Given the noise of its earlier reports, ${inReport(reports.readinessRatioLower)} or more would not count as a drop.${criteriaOfDrop()}`,
      },
      {
        name: 'ReadinessReportOld',
        expr: `time() - ${made} > ${threshold('readinessOldDays')} * 86400`,
        severity: 'info',
        for: '1h',
        keepFiringFor: OVER_OUTAGES,
        labels: ['org', 'repo'],
        panel: 'readiness/Portfolio',
        summary: 'The readiness report of a repository is old',
        description: `The newest readiness report of {{ $labels.repo }} (organization {{ $labels.org }}) was created {{ $value | humanizeDuration }} ago, on ${madeAt}.`,
      },
    ],
  };
}
