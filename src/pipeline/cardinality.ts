import type { DayDataset } from '../catalog/dataset.ts';
import { isDamaged } from '../catalog/dataset.ts';
import type { DayFamily, Family, Sample } from '../catalog/family.ts';
import type { View } from '../catalog/view.ts';
import { fold, type KeptValues, keepLargest, keyOf, labelled } from './folding.ts';
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
  readonly values: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Determines the zeros of each family and the label values that are kept. Yields after every sample, so that other work
 * can run.
 */
export function* measureCardinality(
  families: readonly Family[],
  dataset: DayDataset<unknown> | undefined,
  view: View,
  limitOf: LabelLimit,
  zerosOfDay: ZerosOf = zerosOf,
): Generator<void, Cardinality> {
  const weights = new Map<string, Map<string, number>>();
  // A label is ranked by the first declared additive family with samples that has it; if there is none, by the first
  // that counts people.
  const ranking = new Map<string, Family>();
  const limited = limitedLabels(families);
  const summed = labelsOf(families, 'additive');
  const counted: Counted[] = [];
  for (const family of families) {
    const samples = samplesOf(family, dataset, view);
    if (samples === undefined) continue;
    const values = limitedValues(family, limited);
    const present = new Set<string>();
    const zeros: Sample[] = [];
    const day = dataset === undefined ? undefined : view.newestDay(dataset);
    // Values missing from a damaged row may have been rejected.
    const row = dataset === undefined || day === undefined ? undefined : view.row(dataset, day);
    const collectsZeros = family.scope === 'day' && fillsZeros(family) && !isDamaged(row, family.part);
    let few: Sample[] | undefined = [];
    for (const sample of samples) {
      note(family, sample, values, weights, ranking, summed);
      if (collectsZeros) present.add(keyOf(family, sample));
      if (few !== undefined && few.push(sample) > KEPT_SAMPLES) few = undefined;
      yield;
    }
    if (collectsZeros && day !== undefined) {
      for (const zero of zerosOfDay(family, view, day, present)) {
        if (zero !== undefined) {
          zeros.push(zero);
          note(family, zero, values, weights, ranking, summed);
        }
        yield;
      }
    }
    counted.push({ family, samples: few, zeros, values });
  }
  const kept = keptValues(weights, limitOf);
  return {
    kept,
    foldedCounts: new Map(
      [...kept].map(([label, stays]) => [label, (weights.get(label)?.size ?? 0) - stays.size]),
    ),
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
  const { family, zeros, samples = samplesOf(family, dataset, view) ?? [] } = measured;
  return fold(family, concatenated(samples, zeros), kept);
}

function samplesOf(
  family: Family,
  dataset: DayDataset<unknown> | undefined,
  view: View,
): Iterable<Sample> | undefined {
  if (family.scope === 'current') return allLabelled(family, family.samplesOf(view));
  const day = dataset === undefined ? undefined : view.newestDay(dataset);
  return day === undefined ? undefined : allLabelled(family, family.samplesOf(view, day));
}

function allLabelled(family: Family, samples: Iterable<Sample> | undefined): Iterable<Sample> | undefined {
  return samples && eachLabelled(family, samples);
}

function* eachLabelled(family: Family, samples: Iterable<Sample>): Generator<Sample> {
  for (const sample of samples) yield labelled(family, sample);
}

function* concatenated(samples: Iterable<Sample>, zeros: readonly Sample[]): Generator<Sample> {
  yield* samples;
  yield* zeros;
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

function limitedValues(family: Family, limited: ReadonlySet<string>): ReadonlyMap<string, Set<string>> {
  return new Map(
    family.labels.filter((label) => limited.has(label)).map((label) => [label, new Set<string>()]),
  );
}

function note(
  family: Family,
  sample: Sample,
  values: ReadonlyMap<string, Set<string>>,
  weights: Map<string, Map<string, number>>,
  ranking: Map<string, Family>,
  summed: ReadonlySet<string>,
): void {
  for (const [label, seen] of values) {
    const value = sample.labels[label] ?? '';
    seen.add(value);
    let byValue = weights.get(label);
    if (byValue === undefined) {
      byValue = new Map();
      weights.set(label, byValue);
    }
    const ranks =
      family.aggregation === 'additive' || (family.aggregation === 'distinct' && !summed.has(label));
    if (ranks && !ranking.has(label)) ranking.set(label, family);
    if (ranking.get(label) === family) byValue.set(value, (byValue.get(value) ?? 0) + sample.value);
    else if (!byValue.has(value)) byValue.set(value, 0);
  }
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

function foldedCount(values: ReadonlyMap<string, ReadonlySet<string>>, kept: KeptValues): number {
  let folded = 0;
  for (const [label, seen] of values) {
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
