import {
  type Collector,
  dayDatasetOf,
  filledOn,
  isDayCollector,
  withoutFamilies,
} from '../../catalog/collector.ts';
import type { OrgSettings } from '../../catalog/settings.ts';
import type { View } from '../../catalog/view.ts';
import { collectors as allCollectors } from '../../collectors/index.ts';
import { readinessFamilies as reports } from '../../collectors/readiness/collector.ts';
import { usersCollector } from '../../collectors/users/collector.ts';
import { usersDataset } from '../../collectors/users/dataset.ts';
import type { Config } from '../../config/config.ts';
import { type Identity, identities } from '../../config/people/people.ts';
import { type FamilySize, familiesOverBudget, seriesBudgetOf } from '../../pipeline/budget.ts';
import { measureCardinality, projectFamily } from '../../pipeline/cardinality.ts';
import type { LabelLimit } from '../../pipeline/label-weights.ts';
import type { KnownOrg } from '../../pipeline/past-days.ts';
import { createView } from '../../pipeline/view.ts';
import type { StoredOrg } from '../../store/store.ts';
import { daysOf } from '../../store/stored-org.ts';
import type { Clock } from '../../work/clock.ts';
import { runInSlices } from '../../work/slices.ts';
import type { PeopleByIdentity } from './people.ts';

/** The estimate of an organization; series and values are counted before and after the limits. */
export type OrgEstimate = Awaited<ReturnType<typeof estimateOrg>>;

interface EstimateParts extends KnownOrg {
  readonly config: Config;
  readonly people: PeopleByIdentity;
  readonly failed: readonly string[];
  readonly clock: Clock;
}

const CRITERION_COUNTS: ReadonlySet<string> = new Set([
  reports.readinessCriterionPassed.name,
  reports.readinessCriterionEvaluated.name,
]);

type Sized = Awaited<ReturnType<typeof sizeBoth>>;

/** Estimates an organization as configured and with what is disabled. */
export async function estimateOrg(parts: EstimateParts) {
  const { config, settings, failed } = parts;
  const budget = seriesBudgetOf(config.limits.series, config.orgs.length);
  const sized: Sized[] = [];
  for (const collector of filledOn(allCollectors, settings)) {
    const ways = collector.name === usersCollector.name ? identities : [undefined];
    for (const identity of ways) sized.push(await sizeBoth(parts, collector, identity));
  }
  const collectors = sized.map((one) => {
    const { collector, identity, configured, whole, limited, leftOut } = one;
    const source = 'derivesFrom' in collector ? collector.derivesFrom : collector.name;
    return {
      collector: collector.name,
      // Of the users collector.
      ...(identity && { identity }),
      /** Whether the configuration enables it in this mode. */
      configured,
      failed: failed.includes(`${settings.name}/${source}`),
      series: seriesOf(whole.families),
      seriesAfterLimits: seriesWithin(limited.families, familiesBeside(one, sized), budget),
      labels: labelsOf(one),
      /** What the configuration leaves out; not part of the series. */
      leftOut,
    };
  });
  const own = collectors.filter(({ configured }) => configured);
  return {
    organization: settings.name,
    /** Series of everything that is configured. */
    series: own.reduce((sum, { series }) => sum + series, 0),
    seriesAfterLimits: own.reduce((sum, one) => sum + one.seriesAfterLimits, 0),
    seriesLimit: budget,
    collectors,
  };
}

/** The families of a collector, and of those that the configuration publishes with it. */
function familiesBeside(one: Sized, sized: readonly Sized[]) {
  return sized
    .filter((other) => other === one || (other.configured && other.collector !== one.collector))
    .flatMap(({ limited }) => limited.families);
}

/** The values of each label, before and after the limits. */
function labelsOf({ whole, limited }: Sized) {
  return [...whole.labels].map(([label, { values, series }]) => {
    const left = limited.labels.get(label) ?? { values: 0, series: 0 };
    return { label, values, valuesAfterLimits: left.values, series, seriesAfterLimits: left.series };
  });
}

async function sizeBoth(parts: EstimateParts, collector: Collector, identity: Identity | undefined) {
  const { config, settings, clock } = parts;
  const view = viewOf(parts, settings, identity);
  const runs = config.collectors.get(collector.name) === true;
  const [published = collector] = withoutFamilies([collector], config.metrics.excluded);
  return {
    collector,
    identity,
    configured: runs && (identity === undefined || identity === config.people.identity),
    whole: await sizeOf(published, view, () => Number.POSITIVE_INFINITY, clock),
    limited: await sizeOf(published, view, config.limits.valuesPerLabel, clock),
    leftOut: await leftOutOf(parts, collector, identity),
  };
}

/** The sizes within the limits of what the configuration leaves out of a collector. */
async function leftOutOf(parts: EstimateParts, collector: Collector, identity: Identity | undefined) {
  const { config, settings, clock } = parts;
  const readiness = { ...settings.readiness, criterionCounts: true };
  const view = viewOf(parts, { ...settings, readiness }, identity);
  const { families } = await sizeOf(collector, view, config.limits.valuesPerLabel, clock);
  return families.flatMap(({ family: { name: family }, series }) => {
    if (config.metrics.excluded.has(family)) return [{ family, setting: 'metrics.exclude', series }];
    const isCount = CRITERION_COUNTS.has(family) && !settings.readiness.criterionCounts;
    return isCount ? [{ family, setting: 'readiness.criterion_counts', series }] : [];
  });
}

function viewOf(parts: EstimateParts, shown: OrgSettings, identity: Identity = 'none') {
  const { config, settings, history, people, clock } = parts;
  const days = daysOf(usersDataset, people.days(settings.name, identity));
  const known: StoredOrg = {
    ...history,
    days: (dataset) => (dataset === 'users' ? days : history.days(dataset)),
  };
  const datasets = filledOn(allCollectors, settings)
    .filter(isDayCollector)
    .map(({ dataset }) => dataset);
  const identified = { ...shown, people: people.settings(identity) };
  const { start: historyStart } = config.history;
  return createView({ history: known, settings: identified, datasets, historyStart }, clock.now());
}

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
    const { family } = measured;
    let count = 0;
    for (const sample of projectFamily(measured, cardinality.kept, dataset, view)) {
      count += 1;
      for (const label of family.labels) {
        const size = labels.get(label) ?? { seen: new Set(), series: 0 };
        labels.set(label, size);
        size.seen.add(sample.labels[label] ?? '');
        size.series += 1;
      }
    }
    return { family, series: count };
  });
  const sizes = [...labels].map(
    ([label, { seen, series }]) => [label, { values: seen.size, series }] as const,
  );
  return { families, labels: new Map(sizes) };
}

/** The series of some families that remain if all share a budget; the order of all decides which are dropped first. */
export function seriesWithin(own: readonly FamilySize[], all: readonly FamilySize[], budget: number): number {
  const dropped = familiesOverBudget(all, budget);
  return seriesOf(own.filter(({ family }) => !dropped.has(family.name)));
}

/** All series of some families. */
export function seriesOf(families: readonly FamilySize[]): number {
  return families.reduce((sum, { series }) => sum + series, 0);
}
