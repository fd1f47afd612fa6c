import {
  readinessCriteriaRegressed,
  readinessRatio,
  readinessReportTimestampSeconds,
} from '../../../src/collectors/readiness/collector.ts';
import type { Described, Expression } from '../expression.ts';
import { newest, promql } from '../expression.ts';
import type { PanelSpec, Placed } from '../panels/panel.ts';
import { tile } from '../panels/tile.ts';
import { now } from '../query.ts';

const NONE = 'Unknown';
const DAY_S = 86_400;

/** The number of series of a metric above 0; 0 if there are series, but none above it. */
function above(metric: Described<'repo'>, only: { readonly repo?: string }): Expression {
  const all = newest(metric, { only });
  return promql`count(${all} > 0) or 0 * count(${all})`;
}

/** The portfolio in four numbers, of all repositories or of the selected ones. */
export function readinessTiles(
  only: { readonly repo?: string },
  place: Pick<PanelSpec, 'to'> & { readonly width: number; readonly height: number },
): readonly Placed[] {
  return [
    tile({
      title: 'Mean',
      text: 'Mean across repositories of the share of applications that pass a criterion, from the current report of each.',
      unit: 'percentunit',
      decimals: 0,
      min: 0,
      max: 1,
      queries: [now(promql`avg(${newest(readinessRatio, { only })})`, 'readiness')],
      steps: { warn: 0.6, alarm: 0.4 },
      noValue: NONE,
      ...place,
    }),
    tile({
      title: 'Repositories',
      text: 'Repositories that have a report.',
      unit: 'short',
      queries: [now(promql`count(${newest(readinessRatio, { only })})`, 'repositories')],
      noValue: NONE,
      ...place,
    }),
    tile({
      title: 'Regressed',
      text: 'Repositories with at least one criterion that scores lower in the current report than in the previous one.',
      unit: 'short',
      queries: [now(above(readinessCriteriaRegressed, only), 'repositories')],
      noValue: NONE,
      ...place,
    }),
    tile({
      title: 'Oldest report',
      text: 'Age of the oldest current report of any repository.',
      unit: 's',
      decimals: 0,
      queries: [now(promql`max(time() - ${newest(readinessReportTimestampSeconds, { only })})`, 'age')],
      steps: { warn: 30 * DAY_S, alarm: 90 * DAY_S },
      noValue: NONE,
      ...place,
    }),
  ];
}
