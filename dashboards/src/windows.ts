import type { DatasetName } from '../../src/catalog/dataset.ts';
import { READY_HOURS } from '../../src/catalog/day-rules.ts';
import { platforms } from '../../src/platforms/list.ts';

/** A day after the end of a data day, in which that may still be the newest one. */
interface DayWindow {
  /** Whole days since the start of the data day. */
  readonly age: number;
  /** The platforms whose days come so late; missing for the first day, which is that of all. */
  readonly platforms?: readonly string[];
}

/** The windows in which a day of a dataset becomes the newest one: the day after it, and later ones where a platform has it later. */
export function windowsOf(dataset: DatasetName | undefined): readonly DayWindow[] {
  const late = platforms.map(({ name, days }) => {
    const hours = (dataset === undefined ? undefined : days[dataset]?.readyWithin) ?? READY_HOURS;
    return { name, ages: Math.ceil(hours / 24) };
  });
  const last = Math.max(1, ...late.map(({ ages }) => ages));
  const later = Array.from({ length: last - 1 }, (_, index) => {
    const age = index + 2;
    return { age, platforms: late.flatMap(({ name, ages }) => (ages >= age ? [name] : [])) };
  });
  return [{ age: 1 }, ...later];
}

/** What the name of a recorded series ends with: days that came later have series of their own, since a sample does not say of which day it is. */
export function recordedSuffix({ age }: DayWindow): string {
  return age === 1 ? '' : `:${age}d`;
}
