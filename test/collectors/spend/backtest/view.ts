import { startOf } from '../../../../src/catalog/day.ts';
import type { View } from '../../../../src/catalog/view.ts';
import { tokensDataset } from '../../../../src/collectors/tokens/dataset.ts';
import { createFakeView } from '../../fakes.ts';
import { DAYS, type DayOfPeople, dayAt } from './world.ts';

/** What the exporter has stored of an organization at the end of the year. */
export function viewOf(days: readonly DayOfPeople[]): View {
  const rows = new Map(
    days.map(({ credits, people }, index) => [
      dayAt(index),
      people === 0 ? tokensDataset.idle : { credits: Math.round(credits) },
    ]),
  );
  return createFakeView({ rows, asOf: startOf(dayAt(DAYS)) });
}
