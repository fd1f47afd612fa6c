import type { Day } from '../catalog/day.ts';
import type { Family, Sample } from '../catalog/family.ts';
import type { View } from '../catalog/view.ts';

/** Families with more samples are computed again: memory holds little of a page, however large it is. */
const MAX_KEPT = 10_000;

interface Kept {
  readonly view: View;
  readonly day: Day | undefined;
  /** Undefined if there are too many. */
  readonly samples: readonly Sample[] | undefined;
}

/** Keeps the samples of one view per family: a page measures a family, writes it and writes its recorded series. */
export interface SampleKeeper {
  /** Families that keep the samples that they compute until they are asked with another view. */
  keeping(families: readonly Family[]): readonly Family[];
  /** A family's published samples, from `project` unless the last ones were of the same view: then the same array. */
  projected(family: Family, view: View, project: () => Iterable<Sample>): Iterable<Sample>;
}

/** Creates a keeper that keeps nothing yet, and at most so many samples of a family. */
export function createSampleKeeper(maxKept = MAX_KEPT): SampleKeeper {
  const keeping = new WeakMap<Family, Family>();
  const projected = new Map<string, Kept>();
  return {
    keeping: (families) =>
      families.map((family) => {
        const known = keeping.get(family) ?? keepingSamples(family, maxKept);
        keeping.set(family, known);
        return known;
      }),
    projected({ name }, view, project) {
      const kept = projected.get(name);
      if (kept?.view === view) return kept.samples ?? project();
      const { few, all } = gathered(project(), maxKept);
      projected.set(name, { view, day: undefined, samples: few });
      return all;
    },
  };
}

function keepingSamples(family: Family, maxKept: number): Family {
  if (family.scope === 'day') {
    const compute = keep((view, day) => family.samplesOf(view, day as Day), maxKept);
    return { ...family, samplesOf: compute };
  }
  return { ...family, samplesOf: keep((view) => family.samplesOf(view), maxKept) };
}

type Compute = (view: View, day?: Day) => Iterable<Sample> | undefined;

function keep(compute: Compute, maxKept: number): Compute {
  let kept: Kept | undefined;
  return (view, day) => {
    // The first day of a view is the one that it shows; zeros are derived from the others.
    if (kept?.view === view) return (kept.day === day && kept.samples) || compute(view, day);
    const samples = compute(view, day);
    if (samples === undefined) return undefined;
    const { few, all } = gathered(samples, maxKept);
    kept = { view, day, samples: few };
    return all;
  };
}

/** All of the samples, and the same ones as an array if they are few enough to keep. */
function gathered(
  samples: Iterable<Sample>,
  maxKept: number,
): { readonly few: readonly Sample[] | undefined; readonly all: Iterable<Sample> } {
  if (Array.isArray(samples)) return { few: samples.length > maxKept ? undefined : samples, all: samples };
  const few: Sample[] = [];
  const rest = samples[Symbol.iterator]();
  for (let step = rest.next(); step.done !== true; step = rest.next()) {
    few.push(step.value);
    if (few.length > maxKept) return { few: undefined, all: followedBy(few, rest) };
  }
  return { few, all: few };
}

function* followedBy(samples: readonly Sample[], rest: Iterator<Sample>): Generator<Sample> {
  yield* samples;
  for (let step = rest.next(); step.done !== true; step = rest.next()) yield step.value;
}
