import type { Day } from '../catalog/day.ts';
import type { Family, Sample } from '../catalog/family.ts';
import type { View } from '../catalog/view.ts';

/** Families with more samples are computed again: those cost little per sample, and memory holds little of a page. */
const MAX_KEPT = 100;

interface Kept {
  readonly view: View;
  readonly day: Day | undefined;
  /** Undefined if there are too many. */
  readonly samples: readonly Sample[] | undefined;
}

/**
 * Returns families that keep their samples until they are asked with another view. A page measures each family, writes
 * it and writes its recorded series: a figure of many days, such as a forecast, would be computed three times.
 */
export function createSampleKeeper(): (families: readonly Family[]) => readonly Family[] {
  const keeping = new WeakMap<Family, Family>();
  return (families) =>
    families.map((family) => {
      const known = keeping.get(family) ?? keepingSamples(family);
      keeping.set(family, known);
      return known;
    });
}

function keepingSamples(family: Family): Family {
  if (family.scope === 'day') {
    const compute = keep((view, day) => family.samplesOf(view, day as Day));
    return { ...family, samplesOf: compute };
  }
  return { ...family, samplesOf: keep((view) => family.samplesOf(view)) };
}

type Compute = (view: View, day?: Day) => Iterable<Sample> | undefined;

function keep(compute: Compute): Compute {
  let kept: Kept | undefined;
  return (view, day) => {
    // The first day of a view is the one that it shows; zeros are derived from the others.
    if (kept?.view === view) return (kept.day === day && kept.samples) || compute(view, day);
    const samples = compute(view, day);
    if (samples === undefined) return undefined;
    const few: Sample[] = [];
    const rest = samples[Symbol.iterator]();
    for (let step = rest.next(); step.done !== true; step = rest.next()) {
      few.push(step.value);
      if (few.length <= MAX_KEPT) continue;
      kept = { view, day, samples: undefined };
      return followedBy(few, rest);
    }
    kept = { view, day, samples: few };
    return few;
  };
}

function* followedBy(samples: readonly Sample[], rest: Iterator<Sample>): Generator<Sample> {
  yield* samples;
  for (let step = rest.next(); step.done !== true; step = rest.next()) yield step.value;
}
