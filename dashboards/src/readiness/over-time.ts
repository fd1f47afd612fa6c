import { readinessRatio } from '../../../src/collectors/readiness/collector.ts';
import { atEnd } from '../expression.ts';
import { palette } from '../palette.ts';
import { lines } from '../panels/chart.ts';
import type { PanelSpec, Placed } from '../panels/panel.ts';
import { days } from '../query.ts';

/**
 * Mean and worst repository of each day, of all or of the selected ones. Each line reads all repositories, which over a year
 * takes a third of a second for a thousand of them; the best one says little.
 */
export function readinessOverTime(
  only: { readonly repo?: string },
  place: Pick<PanelSpec, 'to'> & { readonly width: number; readonly height: number },
): Placed {
  return lines({
    title: 'Readiness over time',
    text: 'The mean and the worst readiness of all repositories at the end of each UTC day, from the reports current at that time.',
    unit: 'percentunit',
    max: 1,
    noValue: 'No report known',
    queries: [
      days(atEnd(readinessRatio, { only, across: 'avg' }), 'mean', { colour: palette.main }),
      days(atEnd(readinessRatio, { only, across: 'min' }), 'worst', {
        draw: 'dashes',
        colour: palette.second,
      }),
    ],
    ...place,
  });
}
