import type { DayDataset } from '../catalog/dataset.ts';
import { isDamaged } from '../catalog/dataset.ts';
import type { DayFamily, Family, Sample } from '../catalog/family.ts';
import type { View } from '../catalog/view.ts';
import { foldAll, type KeptValues, keepLargest, keyOf, labelled } from './folding.ts';
import { type ZerosOf, zerosOf } from './zeros.ts';

/** Maximum number of values of a label before the smallest are folded. */
export type LabelLimit = (label: string) => number;

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

interface Counted {
  readonly family: Family;
  readonly samples: readonly Sample[] | undefined;
  readonly zeros: readonly Sample[];
  readonly values: readonly LabelValues[];
}

/** The values of a family's label. */
interface LabelValues {
  readonly label: string;
  readonly seen: Set<string>;
}

/** How to measure, if not a single view. */
interface Measuring {
  /** By default from the samples of all days before. */
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
  { zeros: zerosOfDay = zerosOf, samplesPerStep = 1 }: Measuring = {},
): Generator<void, Cardinality> {
  const weights = new Map<string, Map<string, number>>();
  // A label is ranked by the first declared additive family with samples that has it; if there is none, by the first
  // that counts people.
  const ranking = new Map<string, Family>();
  const limited = limitedLabels(families);
  const summed = labelsOf(families, 'additive');
  const counted: Counted[] = [];
  let total = 0;
  for (const family of families) {
    const samples = samplesOf(family, dataset, view);
    if (samples === undefined) continue;
    const values = family.labels
      .filter((label) => limited.has(label))
      .map((label): LabelValues => ({ label, seen: new Set() }));
    const note = createNote(family, values, weights, ranking, summed);
    const present = new Map<string, Sample['labels']>();
    const zeros: Sample[] = [];
    const day = dataset === undefined ? undefined : view.newestDay(dataset);
    // Values missing from a damaged row may have been rejected.
    const row = dataset === undefined || day === undefined ? undefined : view.row(dataset, day);
    const collectsZeros = family.scope === 'day' && fillsZeros(family) && !isDamaged(row, family.part);
    let few: Sample[] | undefined = [];
    for (const given of samples) {
      const sample = labelled(family, given);
      total++;
      note(sample);
      if (collectsZeros) present.set(keyOf(family, sample), sample.labels);
      if (few !== undefined && few.push(sample) > KEPT_SAMPLES) few = undefined;
      if (total % samplesPerStep === 0) yield;
    }
    if (collectsZeros && day !== undefined) {
      for (const zero of zerosOfDay(family, view, day, present)) {
        if (zero !== undefined) {
          zeros.push(zero);
          note(zero);
        }
        yield;
      }
    }
    total += zeros.length;
    counted.push({ family, samples: few, zeros, values });
  }
  const kept = keptValues(weights, limitOf);
  return {
    kept,
    foldedCounts: new Map(
      [...kept].map(([label, stays]) => [label, (weights.get(label)?.size ?? 0) - stays.size]),
    ),
    samples: total,
    families: counted.map(({ family, samples, zeros, values }) => ({
      ...{ family, samples, zeros },
      folded: foldedCount(values, kept),
    })),
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

/**
 * The labels with a limit: those of families other than infos. Labels that only infos have are attributes of what the
 * other labels identify.
 */
function limitedLabels(families: readonly Family[]): ReadonlySet<string> {
  return new Set(families.flatMap(({ aggregation, labels }) => (aggregation === 'info' ? [] : labels)));
}

function labelsOf(families: readonly Family[], aggregation: Family['aggregation']): ReadonlySet<string> {
  return new Set(
    families.filter((family) => family.aggregation === aggregation).flatMap(({ labels }) => labels),
  );
}

/**
 * Creates what notes the label values of a family's samples. What is the same for all of them is looked up when the first
 * one is noted, because a day has thousands of samples.
 */
function createNote(
  family: Family,
  values: readonly LabelValues[],
  weights: Map<string, Map<string, number>>,
  ranking: Map<string, Family>,
  summed: ReadonlySet<string>,
): (sample: Sample) => void {
  function weighed({ label, seen }: LabelValues) {
    const byValue = weights.get(label) ?? new Map<string, number>();
    weights.set(label, byValue);
    const ranks =
      family.aggregation === 'additive' || (family.aggregation === 'distinct' && !summed.has(label));
    if (ranks && !ranking.has(label)) ranking.set(label, family);
    return { label, seen, byValue, isRanked: ranking.get(label) === family };
  }

  let noted: readonly ReturnType<typeof weighed>[] | undefined;
  return (sample) => {
    noted ??= values.map(weighed);
    for (const { label, seen, byValue, isRanked } of noted) {
      const value = sample.labels[label] ?? '';
      seen.add(value);
      if (isRanked) byValue.set(value, (byValue.get(value) ?? 0) + sample.value);
      else if (!byValue.has(value)) byValue.set(value, 0);
    }
  };
}

function keptValues(
  weights: ReadonlyMap<string, ReadonlyMap<string, number>>,
  limitOf: LabelLimit,
): KeptValues {
  const kept = new Map<string, ReadonlySet<string>>();
  for (const [label, byValue] of weights) {
    const limit = limitOf(label);
    if (byValue.size > limit) kept.set(label, keepLargest(byValue, limit));
  }
  return kept;
}

function foldedCount(values: readonly LabelValues[], kept: KeptValues): number {
  let folded = 0;
  for (const { label, seen } of values) {
    const stays = kept.get(label);
    if (stays === undefined) continue;
    for (const value of seen) if (!stays.has(value)) folded++;
  }
  return folded;
}

/** Whether label values missing from a day's row are 0 rather than unknown. */
function fillsZeros(family: DayFamily): boolean {
  return family.breakdown && family.aggregation === 'additive';
}
