import type { DayDataset } from '../catalog/dataset.ts';
import { isDamaged } from '../catalog/dataset.ts';
import { type Family, fillsZeros, type Sample } from '../catalog/family.ts';
import type { View } from '../catalog/view.ts';
import { foldAll, type KeptValues, keyOf, labelled } from './folding.ts';
import { createLabelWeights, type LabelLimit } from './label-weights.ts';
import { createZeros, type ZerosOf } from './zeros.ts';

/** Up to this number, the samples of a family are kept from measuring to rendering, instead of computed twice. */
const KEPT_SAMPLES = 1024;

/** The measurements of a collector's samples. */
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
  /** Undefined if they are too many to be kept. */
  readonly samples: readonly Sample[] | undefined;
  readonly zeros: readonly Sample[];
  /** The number of its label values that are summed into `other`, over all labels. */
  readonly folded: number;
}

type Counted = Omit<MeasuredFamily, 'folded'>;

/** How to measure, if not a single view. */
interface Measuring {
  /** Shared by measurements of consecutive days. */
  readonly zeros?: ZerosOf;
  /** How many samples to look at in one step, by default one; a step costs as much as a sample. */
  readonly samplesPerStep?: number;
}

/**
 * Determines the zeros of each family and the label values that are kept. Yields between samples, so that other work can
 * run.
 */
export function* measureCardinality(
  families: readonly Family[],
  dataset: DayDataset<unknown> | undefined,
  view: View,
  limitOf: LabelLimit,
  { zeros: zerosOf = createZeros(), samplesPerStep = 1 }: Measuring = {},
): Generator<void, Cardinality> {
  const weights = createLabelWeights(families, limitOf);
  const counted: Counted[] = [];
  let total = 0;
  for (const family of families) {
    const samples = samplesOf(family, dataset, view);
    if (samples === undefined) continue;
    const present: [string, Sample][] = [];
    const zeros: Sample[] = [];
    const day = dataset === undefined ? undefined : view.newestDay(dataset);
    // Values missing from a damaged row may have been rejected.
    const row = dataset === undefined || day === undefined ? undefined : view.row(dataset, day);
    const collectsZeros =
      family.scope === 'day' && fillsZeros(family) && !isDamaged(row, family.part, dataset?.parts);
    let isKept = true;
    let few: Sample[] = [];
    for (const given of samples) {
      const sample = labelled(family, given);
      total++;
      if (collectsZeros) present.push([keyOf(family, sample), sample]);
      if (few.push(sample) > KEPT_SAMPLES) {
        isKept = false;
        weights.add(family, few);
        few = [];
      }
      if (total % samplesPerStep === 0) yield;
    }
    if (collectsZeros && day !== undefined) {
      for (const zero of zerosOf(family, view, day, present)) {
        if (zero !== undefined) zeros.push(zero);
        yield;
      }
    }
    weights.add(family, few);
    weights.add(family, zeros);
    total += zeros.length;
    counted.push({ family, samples: isKept ? few : undefined, zeros });
  }
  const kept = weights.kept();
  return {
    kept,
    foldedCounts: new Map([...kept].map(([label, stays]) => [label, weights.sizeOf(label) - stays.size])),
    samples: total,
    families: counted.map((one) => ({ ...one, folded: weights.foldedOf(one.family, kept) })),
  };
}

/** The samples of a measured family as published: with zeros, folded and truncated. */
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

/** The samples of a family that has too many to keep them. */
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
