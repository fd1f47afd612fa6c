import { type Collector, dayDatasetOf } from '../../catalog/collector.ts';
import type { View } from '../../catalog/view.ts';
import { type FamilySize, familiesOverBudget } from '../../pipeline/budget.ts';
import { measureCardinality, projectFamily } from '../../pipeline/cardinality.ts';
import type { LabelLimit } from '../../pipeline/label-weights.ts';
import type { Clock } from '../../work/clock.ts';
import { runInSlices } from '../../work/slices.ts';

/** The number of values of a label, and the number of series with the label. */
interface LabelSize {
  readonly values: number;
  readonly series: number;
}

/** The series of a collector. */
interface CollectorSize {
  readonly families: readonly FamilySize[];
  readonly labels: ReadonlyMap<string, LabelSize>;
}

/** Counts what a collector would publish of a view, with these limits of values per label. */
export async function sizeOf(
  collector: Collector,
  view: View,
  limitOf: LabelLimit,
  clock: Pick<Clock, 'slices'>,
): Promise<CollectorSize> {
  const dataset = dayDatasetOf(collector);
  const cardinality = await runInSlices(
    measureCardinality(collector.families, dataset, view, limitOf),
    clock,
  );
  const labels = new Map<string, { readonly seen: Set<string>; series: number }>();
  const families = cardinality.families.map((measured): FamilySize => {
    const { name, dropPriority, labels: own } = measured.family;
    let count = 0;
    for (const sample of projectFamily(measured, cardinality.kept, dataset, view)) {
      count += 1;
      for (const label of own) {
        const size = labels.get(label) ?? { seen: new Set(), series: 0 };
        labels.set(label, size);
        size.seen.add(sample.labels[label] ?? '');
        size.series += 1;
      }
    }
    return { family: name, dropPriority, labelled: own.length > 0, series: count };
  });
  const sizes = [...labels].map(
    ([label, { seen, series }]) => [label, { values: seen.size, series }] as const,
  );
  return { families, labels: new Map(sizes) };
}

/** The series of some families that remain if all share a budget; the order of all decides which are dropped first. */
export function seriesWithin(own: readonly FamilySize[], all: readonly FamilySize[], budget: number): number {
  const dropped = familiesOverBudget(all, budget);
  return seriesOf(own.filter(({ family }) => !dropped.has(family)));
}

/** All series of some families. */
export function seriesOf(families: readonly FamilySize[]): number {
  return families.reduce((sum, { series }) => sum + series, 0);
}
