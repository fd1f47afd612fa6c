import type { DayDataset } from '../catalog/dataset.ts';
import { isDamaged } from '../catalog/dataset.ts';
import { type Family, fillsZeros, type Sample } from '../catalog/family.ts';
import type { View } from '../catalog/view.ts';
import { LARGE } from '../work/slices.ts';
import { foldAll, type KeptValues, labelled, labelsKey } from './folding.ts';
import { createLabelWeights, type LabelLimit } from './label-weights.ts';
import { type Filled, Zeros } from './zeros.ts';

/** How many samples are weighed in one step. */
const WEIGHED_AT_ONCE = 16;

/** A family with up to this number of samples keeps them from measuring to rendering; a larger one computes them twice. */
const KEPT_SAMPLES = 1024;

/** What was measured on the samples of a collector's families. */
export interface Cardinality {
  /** The families with samples, each with its zeros. */
  readonly families: readonly MeasuredFamily[];
  readonly kept: KeptValues;
  /** The number of values summed into `other`, for each label over its limit. */
  readonly foldedCounts: ReadonlyMap<string, number>;
  /** The number of samples before folding, which is at least that of the published ones. */
  readonly samples: number;
}

interface MeasuredFamily {
  readonly family: Family;
  /** Undefined if there are more than `KEPT_SAMPLES`; they are then computed again. */
  readonly samples: readonly Sample[] | undefined;
  readonly zeros: readonly Sample[];
  /** The number of its label values that are summed into `other`, over all labels. */
  readonly folded: number;
}

/** Options of measuring, for callers that measure many days. */
interface Measuring {
  /** The zeros of the organization, remembered from day to day; by default those of this view's newest day alone. */
  readonly zeros?: Zeros;
  /** How many samples to look at in one step, by default one; a step costs as much as a sample. */
  readonly samplesPerStep?: number;
}

/**
 * Determines the zeros to fill into each family, and the label values that keep their own series. Yields between samples, so that
 * other work can run.
 */
export function* measureCardinality(
  families: readonly Family[],
  dataset: DayDataset<unknown> | undefined,
  view: View,
  limitOf: LabelLimit,
  { zeros: remembered = new Zeros(), samplesPerStep = 1 }: Measuring = {},
): Generator<unknown, Cardinality> {
  const day = dataset === undefined ? undefined : view.newestDay(dataset);
  const { found, filled, count } = yield* sampled(families, dataset, view, samplesPerStep);
  let total = count;
  if (day !== undefined) yield* remembered.fill(filled, view, day);
  const weights = createLabelWeights(families, limitOf);
  for (const { family, samples, zeros } of found) {
    total += zeros.length;
    for (const all of [samples, zeros]) {
      for (let at = 0; at < all.length; at += WEIGHED_AT_ONCE) {
        weights.add(family, all.slice(at, at + WEIGHED_AT_ONCE));
        yield;
      }
    }
  }
  const kept = weights.kept();
  yield LARGE;
  const measured: MeasuredFamily[] = [];
  for (const { family, samples, zeros } of found) {
    measured.push({
      family,
      samples: samples.length > KEPT_SAMPLES ? undefined : samples,
      zeros,
      folded: weights.foldedOf(family, kept),
    });
    yield LARGE;
  }
  return {
    kept,
    foldedCounts: new Map([...kept].map(([label, stays]) => [label, weights.sizeOf(label) - stays.size])),
    samples: total,
    families: measured,
  };
}

/** A family's samples, and the zeros that are filled in. */
interface Found {
  readonly family: Family;
  readonly samples: Sample[];
  readonly zeros: Sample[];
}

/** The samples of some families in a view. */
interface Sampled {
  readonly found: readonly Found[];
  readonly filled: readonly Filled[];
  /** The number of samples. */
  readonly count: number;
}

/** Computes the samples of each family, and lists the families that need zeros. */
function* sampled(
  families: readonly Family[],
  dataset: DayDataset<unknown> | undefined,
  view: View,
  samplesPerStep: number,
): Generator<unknown, Sampled> {
  const found: Found[] = [];
  const filled: Filled[] = [];
  const day = dataset === undefined ? undefined : view.newestDay(dataset);
  // Values missing from a damaged row may have been rejected.
  const row = dataset === undefined || day === undefined ? undefined : view.row(dataset, day);
  let count = 0;
  for (const family of families) {
    const given = samplesOf(family, dataset, view);
    if (given === undefined) continue;
    const isFilled =
      family.scope === 'day' && fillsZeros(family) && !isDamaged(row, family.part, dataset?.parts);
    const one: Found = { family, samples: [], zeros: [] };
    const present: [string, Sample][] = [];
    for (const plain of given) {
      const sample = labelled(family, plain);
      one.samples.push(sample);
      if (isFilled) present.push([labelsKey(family, sample), sample]);
      if (++count % samplesPerStep === 0) yield;
    }
    found.push(one);
    if (isFilled) filled.push({ family, present, zeros: one.zeros });
  }
  return { found, filled, count };
}

/** The samples of a measured family as they are published: zeros filled in, label values folded and shortened. */
export function projectFamily(
  measured: MeasuredFamily,
  kept: KeptValues,
  dataset: DayDataset<unknown> | undefined,
  view: View,
): Iterable<Sample> {
  const { family, samples, zeros } = measured;
  if (samples === undefined) return foldAll(family, streamed(measured, dataset, view), kept);
  return foldAll(family, zeros.length === 0 ? samples : [...samples, ...zeros], kept);
}

/** Computes the samples of a family again that has too many to keep. */
function* streamed(
  { family, zeros }: MeasuredFamily,
  dataset: DayDataset<unknown> | undefined,
  view: View,
): Generator<Sample> {
  for (const sample of samplesOf(family, dataset, view) ?? []) yield labelled(family, sample);
  yield* zeros;
}

function samplesOf(
  family: Family,
  dataset: DayDataset<unknown> | undefined,
  view: View,
): Iterable<Sample> | undefined {
  if (family.scope === 'current') return family.samplesOf(view);
  const day = dataset === undefined ? undefined : view.newestDay(dataset);
  return day === undefined ? undefined : family.samplesOf(view, day);
}
