import { type Collector, dayDatasetOf, type ExpensiveDataset, filledOn } from '../catalog/collector.ts';
import type { DatasetName, DayDataset } from '../catalog/dataset.ts';
import { type Day, endOf, type Instant } from '../catalog/day.ts';
import type { CurrentFamily, Family, Sample } from '../catalog/family.ts';
import { isRecorded, recordedNameOf } from '../catalog/recorded.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { View } from '../catalog/view.ts';
import type { CountedProgress } from '../log/progress.ts';
import type { StoredOrg } from '../store/store.ts';
import type { Clock } from '../work/clock.ts';
import { runInSlices } from '../work/slices.ts';
import { familiesOverBudget } from './budget.ts';
import { type Cardinality, measureCardinality, projectFamily } from './cardinality.ts';
import { Coverage, type CoverageParts } from './coverage.ts';
import { firstDayOf, type HistoryBounds } from './days-to-fetch.ts';
import type { LabelLimit } from './label-weights.ts';
import { createView, DayMemo } from './view.ts';
import { Zeros } from './zeros.ts';

/** The number of samples measured in one step, and of steps after which the clock is checked. */
const SAMPLES_PER_STEP = 8;
const STEPS_PER_LOOK = 32;

/** The settings and dependencies for computing what `/metrics` showed on past days. */
export interface PastParts {
  /** The families about the data itself, such as its age. */
  readonly aboutFamilies: readonly CurrentFamily[];
  /** The datasets that the live service collects. */
  readonly datasets: readonly DayDataset<unknown>[];
  /** Fetch limits of the expensive datasets. */
  readonly expensive?: ReadonlyMap<DatasetName, ExpensiveDataset> | undefined;
  /** The bounds of the stored history. */
  readonly bounds: HistoryBounds;
  readonly labelLimit: LabelLimit;
  /** Maximum number of series per organization. */
  readonly seriesBudget: number;
  /** The time at which the stored data was read, that is, the present. */
  readonly knownAt: Instant;
  readonly clock: Pick<Clock, 'elapsed' | 'slices'>;
}

/** A range of past days to compute, with the organizations and collectors. */
export interface PastDays {
  readonly pages: PastParts;
  readonly orgs: readonly KnownOrg[];
  readonly collectors: readonly Collector[];
  /** The first and the last day, inclusive. */
  readonly from: Day;
  readonly to: Day;
  readonly progress: CountedProgress;
  /** Aborted when the work should stop. */
  readonly signal: AbortSignal;
}

/** An organization and its stored data. */
export interface KnownOrg {
  readonly settings: OrgSettings;
  readonly history: StoredOrg;
}

/** An organization with the coverage of its days. */
export interface AssessedOrg extends KnownOrg, CoverageParts {
  readonly settings: OrgSettings;
  readonly pages: PastParts;
  /** The states of its days, as known now. */
  readonly coverage: Coverage;
  /** The zeros to fill in; callers go through the days in ascending order. */
  readonly zeros: Zeros;
  /** Cached results per day; valid because rows and states do not change while past days are computed. */
  readonly days: DayMemo;
}

/** The samples of a family on `/metrics`, which are the same at all `stamps`. */
export interface PageFamily {
  readonly family: PastFamily;
  /** Whether the series are those of recording rules, which have no target labels (`job`, `instance`). */
  readonly recorded: boolean;
  /** The timestamps of the samples. */
  readonly stamps: readonly Instant[];
  samples(): Iterable<Sample>;
}

/** The part of a family that a backfill target or an export needs. */
export type PastFamily = Pick<Family, 'help' | 'labels' | 'unit' | 'scope' | 'dropPriority'> & {
  readonly name: string;
};

interface Measured {
  readonly cardinality: Cardinality;
  readonly dataset: DayDataset<unknown> | undefined;
  readonly view: View;
  readonly stamps: readonly Instant[];
}

/** Adds the coverage of its days to an organization, derived from its stored data. */
export function assessDays(pages: PastParts, known: KnownOrg): AssessedOrg {
  const { expensive, bounds, knownAt } = pages;
  const datasets = filledOn(pages.datasets, known.settings);
  const { historyStart } = bounds;
  const org = { ...known, datasets, expensive, historyStart, firstDay: firstDayOf(bounds, knownAt) };
  const coverage = new Coverage(org, knownAt);
  return { ...org, pages, coverage, zeros: new Zeros(), days: new DayMemo() };
}

/**
 * Whether a collector has data for a day. `known`: always with documents, and for a dataset of days if the day is known. `unused`:
 * the platform does not report the dataset, so nothing is missing. `unknown`: the day is missing.
 */
export function knowledgeOf(
  org: AssessedOrg,
  collector: Collector,
  day: Day,
): 'known' | 'unknown' | 'unused' {
  if (filledOn([collector], org.settings).length === 0) return 'unused';
  const dataset = dayDatasetOf(collector);
  if (dataset === undefined) return 'known';
  if (org.coverage.stateOf(dataset.name, day) === 'unused') return 'unused';
  return viewOf(org, endOf(day)).newestDay(dataset) === day ? 'known' : 'unknown';
}

/**
 * The families of the given collectors as `/metrics` showed them at some instants while `day` was the newest day. The
 * day's figures are the same at all of them and computed once; documents are evaluated at each.
 */
export async function projectPage(
  org: AssessedOrg,
  asked: readonly Collector[],
  stamps: readonly Instant[],
): Promise<readonly PageFamily[]> {
  const collectors = filledOn(asked, org.settings);
  const [first] = stamps;
  if (first === undefined) return [];
  const measured: Measured[] = [];
  const view = viewOf(org, first);
  for (const collector of collectors) {
    const dataset = dayDatasetOf(collector);
    if (dataset !== undefined) {
      measured.push(await measure(org, collector.families, { dataset, view, stamps }));
      continue;
    }
    for (const stamp of stamps) {
      const then = { dataset, view: viewOf(org, stamp), stamps: [stamp] };
      measured.push(await measure(org, collector.families, then));
    }
  }
  const datasets = [...new Set(collectors.flatMap((collector) => dayDatasetOf(collector) ?? []))];
  const about = { dataset: undefined, view: { ...view, datasets }, stamps };
  measured.push(await measure(org, org.pages.aboutFamilies, about));

  const samples = measured.reduce((sum, { cardinality }) => sum + cardinality.samples, 0);
  const { seriesBudget } = org.pages;
  if (samples <= seriesBudget) return measured.flatMap(familiesOf);
  if (stamps.length === 1) return withinBudget(measured, seriesBudget);
  // Families are dropped page by page, as in the live exporter.
  const families: PageFamily[] = [];
  for (const stamp of stamps) families.push(...(await projectPage(org, collectors, [stamp])));
  return families;
}

/** The recorded series of families, as recording rules would have written them. */
export function recordedOf(page: readonly PageFamily[]): readonly PageFamily[] {
  return page
    .filter(({ family }) => isRecorded(family))
    .map(({ family, ...rest }) => ({
      ...rest,
      family: { ...family, name: recordedNameOf(family.name) },
      recorded: true,
    }));
}

async function measure(
  org: AssessedOrg,
  declared: readonly Family[],
  of: Pick<Measured, 'dataset' | 'view' | 'stamps'>,
): Promise<Measured> {
  const { dataset, view } = of;
  const measuring = { zeros: org.zeros, samplesPerStep: SAMPLES_PER_STEP };
  const steps = measureCardinality(declared, dataset, view, org.pages.labelLimit, measuring);
  // In slices, so that a stop signal and pending writes do not wait for long.
  return { ...of, cardinality: await runInSlices(steps, org.pages.clock, STEPS_PER_LOOK) };
}

function familiesOf({ cardinality: found, dataset, view, stamps }: Measured): readonly PageFamily[] {
  return found.families.map((measured) => {
    const project = () => projectFamily(measured, found.kept, dataset, view);
    // A small family is computed once, and serves the recorded series, too; a large one is computed again to save memory.
    const few = measured.samples && [...project()];
    return { family: measured.family, recorded: false, stamps, samples: () => few ?? project() };
  });
}

/** The families that remain within an organization's series budget. */
function withinBudget(measured: readonly Measured[], budget: number): readonly PageFamily[] {
  const families = measured.flatMap(familiesOf);
  const sizes = families.map(({ family, samples }) => ({
    family,
    series: countOf(samples(), budget + 1),
  }));
  const dropped = familiesOverBudget(sizes, budget);
  return families.filter(({ family }) => !dropped.has(family.name));
}

/** The number of samples, at most `limit`. */
function countOf(samples: Iterable<Sample>, limit: number): number {
  let count = 0;
  for (const _ of samples) if (++count >= limit) break;
  return count;
}

function viewOf(org: AssessedOrg, asOf: Instant): View {
  const { coverage, days } = org;
  return createView(org, asOf, { coverage, isPast: true, days });
}
