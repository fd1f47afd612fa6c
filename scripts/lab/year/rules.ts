import { endOf, type Instant } from '../../../src/catalog/day.ts';
import { DATASETS, type Dataset, HOUR, type World } from './world.ts';

/** What can be known of a day at an instant by requesting everything from the platform at that instant. */
type Knowledge = 'row' | 'idle' | 'provisional' | 'unknown';

/** The rules, implemented independently and literally, regardless of speed. The last daily pass was at `passAt`. */
export function createRules(world: World, at: Instant, passAt: Instant) {
  const newest = world.indexOf(dayBefore(at));
  const made = new Map<string, Knowledge>();
  // Older days are requested once a day, or once their dataset catches up.
  const askedAt = new Map(DATASETS.map((dataset) => [dataset, isUpToDate(dataset) ? at : passAt]));

  function isUpToDate(dataset: Dataset): boolean {
    for (let index = newest; index > newest - 7; index--) {
      if (!world.isBad(dataset, index, at) && world.rowAt(dataset, index, at) !== undefined) return true;
    }
    return false;
  }

  function hasRow(dataset: Dataset, index: number): boolean {
    const asked = index > newest - 7 ? at : (askedAt.get(dataset) ?? at);
    return world.rowAt(dataset, index, asked) !== undefined;
  }

  const isCovered = (dataset: Dataset, index: number) => !world.isBad(dataset, index, at);
  const isSettled = (index: number) => at >= endOf(world.dayAt(index)) + 72 * HOUR;
  const areOthersQuiet = (dataset: Dataset, index: number) =>
    DATASETS.every((other) => other === dataset || (isCovered(other, index) && !hasRow(other, index)));
  const newestRows = new Map(DATASETS.map((dataset) => [dataset, findNewestRow(dataset)]));

  function findNewestRow(dataset: Dataset): number {
    for (let index = newest; index >= 0; index--) {
      if (isCovered(dataset, index) && hasRow(dataset, index)) return index;
    }
    return -1;
  }

  function judge(dataset: Dataset, index: number): Knowledge {
    if (index < 0 || index > newest || !isCovered(dataset, index)) return 'unknown';
    if (hasRow(dataset, index)) return 'row';
    const last = newestRows.get(dataset) ?? -1;
    if (last > index) return areOthersQuiet(dataset, index) || isSettled(index) ? 'idle' : 'unknown';
    if (!isSettled(index) || !areOthersQuiet(dataset, index)) return 'unknown';
    if (index - 1 > last && stateOf(dataset, index - 1) === 'unknown') return 'unknown';
    return 'provisional';
  }

  function stateOf(dataset: Dataset, index: number): Knowledge {
    const key = `${dataset} ${index}`;
    const known = made.get(key) ?? judge(dataset, index);
    made.set(key, known);
    return known;
  }

  return {
    stateOf,
    /** The newest known day; -1 if there is none. */
    newestDay(dataset: Dataset): number {
      for (let index = newest; index >= 0; index--) {
        if (stateOf(dataset, index) !== 'unknown') return index;
      }
      return -1;
    },
  };
}

function dayBefore(at: Instant) {
  return new Date(at - 24 * HOUR).toISOString().slice(0, 10) as ReturnType<World['dayAt']>;
}
