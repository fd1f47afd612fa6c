import { type Collector, isDayCollector, withoutFamilies } from '../catalog/collector.ts';
import type { Day } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import { collectors as allCollectors } from '../collectors/index.ts';
import { readinessCriterionEvaluated, readinessCriterionPassed } from '../collectors/readiness/collector.ts';
import { usersCollector } from '../collectors/users/collector.ts';
import { usersDataset } from '../collectors/users/dataset.ts';
import type { Config } from '../config/config.ts';
import { type Identity, identities } from '../config/people/labels.ts';
import { type FamilySize, seriesBudgetOf } from '../pipeline/budget.ts';
import { type CollectorSize, seriesOf, seriesWithin, sizeOf } from '../pipeline/estimate.ts';
import { createView } from '../pipeline/view.ts';
import type { Clock } from '../runtime/clock.ts';
import { daysOf } from '../store/days.ts';
import type { StoredOrg } from '../store/store.ts';
import type { PeopleByIdentity } from './estimate-people.ts';

/** The values of a label, before and after the limits. */
interface LabelEstimate {
  readonly label: string;
  readonly values: number;
  readonly valuesAfterLimits: number;
  readonly series: number;
  readonly seriesAfterLimits: number;
}

/** The series of a collector, before and after the limits. */
export interface CollectorEstimate {
  readonly collector: string;
  /** The identity mode, for the users collector. */
  readonly identity?: Identity;
  /** Whether the configuration enables it in this mode. */
  readonly configured: boolean;
  readonly failed: boolean;
  readonly series: number;
  readonly seriesAfterLimits: number;
  readonly labels: readonly LabelEstimate[];
  /** What the configuration leaves out; not part of the series. */
  readonly leftOut: readonly LeftOutEstimate[];
}

/** The series that a metric would have if the configuration did not leave it out. */
interface LeftOutEstimate {
  readonly family: string;
  readonly setting: 'metrics.exclude' | 'readiness.criterion_counts';
  readonly series: number;
}

export interface OrgEstimate {
  readonly organization: string;
  /** Series of everything that is configured. */
  readonly series: number;
  readonly seriesAfterLimits: number;
  readonly seriesLimit: number;
  readonly collectors: readonly CollectorEstimate[];
}

interface EstimateParts {
  readonly config: Config;
  readonly settings: OrgSettings;
  readonly history: StoredOrg;
  readonly people: PeopleByIdentity;
  readonly failed: readonly string[];
  readonly historyStart: Day;
  readonly clock: Clock;
}

interface Sized {
  readonly collector: Collector;
  readonly identity: Identity | undefined;
  readonly configured: boolean;
  readonly whole: CollectorSize;
  readonly limited: CollectorSize;
  readonly leftOut: readonly LeftOutEstimate[];
}

/** Estimates an organization as configured and with what is disabled. */
export async function estimateOrg(parts: EstimateParts): Promise<OrgEstimate> {
  const { config, settings, failed } = parts;
  const budget = seriesBudgetOf(config.limits.series, config.orgs.length);
  const sized: Sized[] = [];
  for (const collector of allCollectors) {
    const ways = collector.name === usersCollector.name ? identities : [undefined];
    for (const identity of ways) sized.push(await sizeBoth(parts, collector, identity));
  }
  const estimates = sized.map((one): CollectorEstimate => {
    const together = sized.filter(
      (other) => other === one || (other.configured && other.collector !== one.collector),
    );
    const { collector, identity, configured, whole, limited, leftOut } = one;
    return {
      collector: collector.name,
      ...(identity && { identity }),
      configured,
      failed: failed.includes(`${settings.name}/${sourceOf(collector)}`),
      series: seriesOf(whole.families),
      seriesAfterLimits: seriesWithin(limited.families, familiesOf(together), budget),
      labels: labelsOf(whole, limited),
      leftOut,
    };
  });
  const own = estimates.filter(({ configured }) => configured);
  return {
    organization: settings.name,
    series: own.reduce((sum, { series }) => sum + series, 0),
    seriesAfterLimits: own.reduce((sum, one) => sum + one.seriesAfterLimits, 0),
    seriesLimit: budget,
    collectors: estimates,
  };
}

async function sizeBoth(
  parts: EstimateParts,
  collector: Collector,
  identity: Identity | undefined,
): Promise<Sized> {
  const { config, clock } = parts;
  const view = viewOf(parts, identity);
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
async function leftOutOf(
  parts: EstimateParts,
  collector: Collector,
  identity: Identity | undefined,
): Promise<readonly LeftOutEstimate[]> {
  const { config, settings, clock } = parts;
  const { excluded } = config.metrics;
  const readiness = { ...settings.readiness, criterionCounts: true };
  const view = viewOf({ ...parts, settings: { ...settings, readiness } }, identity);
  const { families } = await sizeOf(collector, view, config.limits.valuesPerLabel, clock);
  return families.flatMap(({ family, series }): readonly LeftOutEstimate[] => {
    if (excluded.has(family)) return [{ family, setting: 'metrics.exclude', series }];
    const isCount = CRITERION_COUNTS.has(family) && !settings.readiness.criterionCounts;
    return isCount ? [{ family, setting: 'readiness.criterion_counts', series }] : [];
  });
}

const CRITERION_COUNTS: ReadonlySet<string> = new Set([
  readinessCriterionPassed.name,
  readinessCriterionEvaluated.name,
]);

function viewOf(
  { settings, history, people, historyStart, clock }: EstimateParts,
  identity = 'none' as Identity,
) {
  const days = daysOf(usersDataset, people.days(settings.name, identity));
  const known: StoredOrg = {
    ...history,
    days: (dataset) => (dataset === 'users' ? days : history.days(dataset)),
  };
  const datasets = allCollectors.filter(isDayCollector).map(({ dataset }) => dataset);
  const shown = { ...settings, people: people.settings(identity) };
  return createView({ history: known, settings: shown, datasets, historyStart }, clock.now());
}

function labelsOf(whole: CollectorSize, limited: CollectorSize): readonly LabelEstimate[] {
  return [...whole.labels].map(([label, { values, series }]) => {
    const left = limited.labels.get(label) ?? { values: 0, series: 0 };
    return { label, values, valuesAfterLimits: left.values, series, seriesAfterLimits: left.series };
  });
}

function familiesOf(sized: readonly Sized[]): readonly FamilySize[] {
  return sized.flatMap(({ limited }) => limited.families);
}

function sourceOf(collector: Collector): string {
  return 'derivesFrom' in collector ? collector.derivesFrom : collector.name;
}
