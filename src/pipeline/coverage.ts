import type { ExpensiveDataset } from '../catalog/collector.ts';
import type { DatasetName, DayDataset } from '../catalog/dataset.ts';
import { addDays, type Day, daysBetween, type Instant, later, yesterdayOf } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { StoredOrg } from '../store/store.ts';
import { firstExpensiveDay, newestRowOf, settledUntil } from './days-to-fetch.ts';

/**
 * The state of a day of a dataset: it has a `row`; it is `idle`, a day without activity; it is `provisional`, idle as
 * long as its own dataset has no later row; it was answered, but its dataset is `unused`; or it is `unknown`.
 */
export type DayState = 'row' | 'idle' | 'provisional' | 'unused' | 'unknown';

/** The input of coverage. */
export interface CoverageParts {
  /** Its rows are not read. */
  readonly history: StoredOrg;
  /** The day datasets that are collected. */
  readonly datasets: readonly DayDataset<unknown>[];
  readonly historyStart: Day;
  /** The first day that is kept, if older ones are dropped; coverage counts from it. */
  readonly firstDay?: Day | undefined;
  /** Fetch limits of the expensive datasets. */
  readonly expensive?: ReadonlyMap<DatasetName, ExpensiveDataset> | undefined;
  /** The organization's settings, which may need more days of those. */
  readonly settings?: OrgSettings | undefined;
}

/** The states of all days of an organization, as known at an instant. */
export type Coverage = ReturnType<typeof createCoverage>;

/** Derives the state of each day from what all collected datasets have answered until `knownAt`. */
export function createCoverage(parts: CoverageParts, knownAt: Instant) {
  const { history, datasets, historyStart, firstDay = historyStart } = parts;
  const newest = yesterdayOf(knownAt);
  const settled = new Map(
    datasets.map(({ name }) => [name, settledUntil(history.dataset(name).revisedOn, knownAt)]),
  );
  const rowless = new Map<DatasetName, ReadonlyMap<Day, DayState>>();

  function newestRow(dataset: DatasetName): Day | undefined {
    return newestRowOf(history.days(dataset), historyStart, newest);
  }

  function firstAsked(dataset: DatasetName): Day {
    const expensive = parts.expensive?.get(dataset);
    const days = history.days(dataset);
    const first = expensive && firstExpensiveDay(expensive, newest, days, parts.settings);
    return first === undefined ? firstDay : later(first, firstDay);
  }

  /** Whether a dataset reports no activity on a day; `settled`: only if it did so when no row could be late. */
  function isQuiet(dataset: DayDataset<unknown>, day: Day, settled: boolean): boolean {
    const days = history.days(dataset.name);
    // Days that are never fetched say nothing and must not hold up the other datasets.
    if (!days.has(day)) return day < firstAsked(dataset.name);
    if (days.isFilled(day)) return days.hasActivity(day) === false;
    return !settled || isSettled(dataset.name, day);
  }

  function isSettled(dataset: DatasetName, day: Day): boolean {
    const until = settled.get(dataset);
    return until !== undefined && day <= until;
  }

  function areOthersQuiet(dataset: DatasetName, day: Day, settled: boolean): boolean {
    return datasets.every((other) => other.name === dataset || isQuiet(other, day, settled));
  }

  /** The states of the covered days without a row. */
  function rowlessOf(dataset: DatasetName): ReadonlyMap<Day, DayState> {
    const states = rowless.get(dataset) ?? statesOf(dataset);
    rowless.set(dataset, states);
    return states;
  }

  function statesOf(dataset: DatasetName): ReadonlyMap<Day, DayState> {
    const days = history.days(dataset);
    const first = firstAsked(dataset);
    const last = newestRow(dataset);
    const states = new Map<Day, DayState>();
    for (const day of days.keys()) {
      if (day > newest || day < historyStart || days.isFilled(day)) continue;
      if (last === undefined) states.set(day, 'unused');
      else if (day < last) {
        const isIdle = isSettled(dataset, day) || areOthersQuiet(dataset, day, false);
        states.set(day, isIdle ? 'idle' : 'unknown');
      }
    }
    if (last === undefined) return states;
    // After its newest row a dataset may be late: the first unknown day there makes all later ones unknown.
    const afterLast = addDays(last, 1);
    let isLate = false;
    for (let day = later(afterLast, first); day <= newest; day = addDays(day, 1)) {
      isLate ||= !days.has(day) || !isSettled(dataset, day) || !areOthersQuiet(dataset, day, true);
      states.set(day, isLate ? 'unknown' : 'provisional');
    }
    return states;
  }

  function stateOf(dataset: DatasetName, day: Day): DayState {
    if (day > newest) return 'unknown';
    return history.days(dataset).isFilled(day) ? 'row' : (rowlessOf(dataset).get(day) ?? 'unknown');
  }

  return {
    stateOf,
    /** Whether a dataset was answered, but never with a row. */
    isUnused: (dataset: DatasetName) => newestRow(dataset) === undefined && history.days(dataset).size > 0,
    /** The number of unknown days of a dataset, up to a day, among those that are fetched. */
    unknownDays(dataset: DatasetName, upTo: Day): number {
      const first = firstAsked(dataset);
      const isKnown = (day: Day) => day >= first && day <= upTo && stateOf(dataset, day) !== 'unknown';
      const known = [...history.days(dataset).keys()].filter(isKnown);
      return Math.max(0, daysBetween(first, upTo) + 1) - known.length;
    },
    /** The days without a row that count as days without activity. */
    idleDays: (dataset: DatasetName): ReadonlySet<Day> =>
      new Set(
        [...rowlessOf(dataset)].flatMap(([day, state]) =>
          state === 'idle' || state === 'provisional' ? [day] : [],
        ),
      ),
  };
}
