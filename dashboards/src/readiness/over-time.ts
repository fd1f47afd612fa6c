import { readinessRatio } from '../../../src/collectors/readiness/collector.ts';
import { atEnd } from '../expression.ts';
import { palette } from '../palette.ts';
import { lines } from '../panels/chart.ts';
import type { PanelSpec, Placed } from '../panels/panel.ts';
import { days } from '../query.ts';

/** Best, mean and worst repository of each day, of all or of the selected ones. */
export function readinessOverTime(
  only: { readonly repo?: string },
  place: Pick<PanelSpec, 'to'> & { readonly width: number; readonly height: number },
): Placed {
  return lines({
    title: 'Readiness over time',
    text: 'The best, mean and worst readiness of all repositories at the end of each UTC day, from the reports current at that time.',
    unit: 'percentunit',
    max: 1,
    noValue: 'No report yet',
    queries: [
      days(atEnd(readinessRatio, { only, across: 'max' }), 'best', { draw: 'dashes', colour: palette.quiet }),
      days(atEnd(readinessRatio, { only, across: 'avg' }), 'mean', { colour: palette.main }),
      days(atEnd(readinessRatio, { only, across: 'min' }), 'worst', {
        draw: 'dashes',
        colour: palette.second,
      }),
    ],
    ...place,
  });
}
