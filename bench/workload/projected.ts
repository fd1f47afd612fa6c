import { dayDatasetOf, isDayCollector } from '../../src/catalog/collector.ts';
import { addDays, yesterdayOf } from '../../src/catalog/day.ts';
import type { Family, Sample } from '../../src/catalog/family.ts';
import { aboutFamilies, collectors } from '../../src/collectors/index.ts';
import { createMemoryHistory } from '../../src/history/memory.ts';
import { measureCardinality, projectFamily } from '../../src/pipeline/cardinality.ts';
import { createView } from '../../src/pipeline/view.ts';
import { createSystemClock } from '../../src/runtime/clock.ts';
import { runInSlices } from '../../src/runtime/slices.ts';
import { DAYS } from './days.ts';
import { ORG, SETTINGS } from './settings.ts';
import { fillHistory } from './workload.ts';

/** The families and samples that the exporter publishes for a workload, for use by another exporter. */
export async function* projectedFamilies(
  series: number,
): AsyncGenerator<{ readonly family: Family; readonly samples: Iterable<Sample> }> {
  const clock = createSystemClock();
  const now = clock.now();
  const history = createMemoryHistory();
  await fillHistory(history, series, now);
  const view = createView(
    {
      history: await history.read(ORG),
      settings: SETTINGS,
      datasets: collectors.filter(isDayCollector).map(({ dataset }) => dataset),
      historyStart: addDays(yesterdayOf(now), 1 - DAYS),
    },
    now,
  );
  const about = aboutFamilies(collectors.filter(isDayCollector).map(({ dataset }) => dataset));
  const sources = collectors.map((collector) => ({
    families: collector.families,
    days: dayDatasetOf(collector),
  }));
  for (const { families, days } of [...sources, { families: about, days: undefined }]) {
    const cardinality = await runInSlices(
      measureCardinality(families, days, view, () => Number.MAX_SAFE_INTEGER),
      clock,
    );
    for (const measured of cardinality.families) {
      yield { family: measured.family, samples: projectFamily(measured, cardinality.kept, days, view) };
    }
  }
}
