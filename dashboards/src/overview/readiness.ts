import {
  readinessCriteriaRegressed,
  readinessRatio,
  readinessReportTimestampSeconds,
} from '../../../src/collectors/readiness/collector.ts';
import type { Row } from '../dashboard.ts';
import { newest, promql } from '../expression.ts';
import { tile } from '../panels/tile.ts';
import { places } from '../places.ts';
import { now } from '../query.ts';
import { readinessOverTime } from '../readiness/over-time.ts';

/** How ready the repositories are for agents. */
export const readiness: Row = {
  title: 'Readiness of the repositories',
  panels: [
    tile({
      title: 'Mean',
      text: 'Mean over the repositories of the share of applications that pass a criterion, by each one’s current report.',
      unit: 'percentunit',
      decimals: 0,
      min: 0,
      max: 1,
      queries: [now(promql`avg(${newest(readinessRatio)})`, 'readiness')],
      steps: { warn: 0.6, alarm: 0.4 },
      noValue: 'No report yet',
      to: places.readiness,
      width: 3,
      height: 5,
    }),
    tile({
      title: 'Repos',
      text: 'Repositories that have a report.',
      unit: 'short',
      queries: [now(promql`count(${newest(readinessRatio)})`, 'repositories')],
      noValue: 'No report yet',
      to: places.readiness,
      width: 3,
      height: 5,
    }),
    tile({
      title: 'Got worse',
      text: 'Repositories with at least one criterion that does worse in the current report than in the previous one.',
      unit: 'short',
      queries: [
        now(
          promql`count(${newest(readinessCriteriaRegressed)} > 0) or vector(0) and on () count(${newest(readinessCriteriaRegressed)})`,
          'repositories',
        ),
      ],
      noValue: 'No report yet',
      to: places.readiness,
      width: 3,
      height: 5,
    }),
    tile({
      title: 'Oldest report',
      text: 'Age of the oldest current report of any repository.',
      unit: 's',
      decimals: 0,
      queries: [now(promql`max(time() - ${newest(readinessReportTimestampSeconds)})`, 'age')],
      steps: { warn: 30 * 86_400, alarm: 90 * 86_400 },
      noValue: 'No report yet',
      to: places.readiness,
      width: 3,
      height: 5,
    }),
    readinessOverTime({ width: 12, height: 5, to: places.readiness }),
  ],
};
