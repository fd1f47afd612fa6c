import { type DatasetName, type DayDataset, idleRowOf } from '../catalog/dataset.ts';
import { addDays, type Day, type Instant, yesterdayOf } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { View } from '../catalog/view.ts';
import type { StoredDays } from '../store/store.ts';
import { Coverage, type CoverageParts, type DayState } from './coverage.ts';

/** Dependencies of a view. */
interface ViewParts extends CoverageParts {
  readonly settings: OrgSettings;
}

/** How a view determines the states of days; by default from what was known at its instant. */
interface PastView {
  readonly coverage: Coverage;
  /** Whether the view shows a past day. A `provisional` day then counts as unknown: nobody would correct it later. */
  readonly isPast?: boolean;
  /** The cache of results per day. Views of the same rows, coverage and `isPast` may share one; by default each has its own. */
  readonly days?: DayMemo;
}

/**
 * A cache of results per day; the function that computes a result is part of the key. A result for a day depends on the rows up to
 * that day. So share a memo only while these rows do not change: within one view, or among views of the same rows and coverage that
 * know the day.
 */
export class DayMemo {
  readonly #byKey = new Map<unknown, Map<Day, unknown>>();

  /** The cached result of `key` for a day; on first use, calls `make` and caches what it returns. */
  of<Made>(key: (...given: never) => Made, day: Day, make: () => Made): Made {
    const days = this.#byKey.get(key) ?? new Map<Day, unknown>();
    this.#byKey.set(key, days);
    if (!days.has(day)) days.set(day, make());
    return days.get(day) as Made;
  }
}

/** Creates a view of an organization's stored data at an instant. It hides days that were not over then. */
export function createView(parts: ViewParts, asOf: Instant, past?: PastView): View {
  const { history, settings, historyStart } = parts;
  const newestPossible = yesterdayOf(asOf);
  const {
    coverage,
    isPast = false,
    days: memo = new DayMemo(),
  }: PastView = past ?? { coverage: new Coverage(parts, asOf) };
  const newest = new Map<DatasetName, Day | undefined>();
  /** The datasets that are collected now. Rows of other datasets are leftovers that no run refreshes. */
  const collected = new Set(parts.datasets.map(({ name }) => name));

  function stateOf(dataset: DatasetName, day: Day): DayState {
    if (day > newestPossible || !collected.has(dataset)) return 'unknown';
    const state = coverage.stateOf(dataset, day);
    return state === 'provisional' && isPast ? 'unknown' : state;
  }

  function row<Row>(dataset: DayDataset<Row>, day: Day): Row | undefined {
    const state = stateOf(dataset.name, day);
    if (state === 'row') return history.days(dataset.name).get(day) as Row;
    return state === 'idle' || state === 'provisional' ? idleRowOf(dataset, settings) : undefined;
  }

  function newestDay(dataset: DayDataset<unknown>): Day | undefined {
    if (!newest.has(dataset.name)) newest.set(dataset.name, findNewest(dataset));
    return newest.get(dataset.name);
  }

  function findNewest(dataset: DayDataset<unknown>): Day | undefined {
    if (history.days(dataset.name).size === 0) return undefined;
    for (let day = newestPossible; day >= historyStart; day = addDays(day, -1)) {
      const state = stateOf(dataset.name, day);
      if (state === 'row' || state === 'idle' || state === 'provisional') return day;
    }
    return undefined;
  }

  const made = new Map<(view: View) => unknown, unknown>();

  function once<Made>(make: (view: View) => Made): Made {
    if (!made.has(make)) made.set(make, make(view));
    return made.get(make) as Made;
  }

  const view: View = {
    asOf,
    settings,
    orgId: history.orgId,
    datasets: parts.datasets,
    newestDay,
    row,
    rowsBefore: <Row>(dataset: DayDataset<Row>, day: Day) =>
      rowsOf<Row>(history.days(dataset.name), daysBackFrom(day, historyStart)),
    rowsAfter<Row>(dataset: DayDataset<Row>, day: Day) {
      const days = history.days(dataset.name);
      return rowsOf<Row>(days, [...days.keys()].filter((known) => known > day).sort());
    },
    documents: <Document>(dataset: { readonly name: DatasetName }) =>
      history.documents(dataset.name) as readonly Document[],
    uncoveredDays: (dataset) => coverage.unknownDays(dataset, newestPossible),
    once,
    // Not cached for a day that is not over in this view: a later view of the same rows would compute another result.
    ofDay: (make, day) =>
      day > newestPossible ? make(view, day) : memo.of(make, day, () => make(view, day)),
  };
  return view;
}

/** The days before a day, newest first. */
function* daysBackFrom(day: Day, first: Day): Generator<Day> {
  for (let at = addDays(day, -1); at >= first; at = addDays(at, -1)) yield at;
}

/** The rows of those days that have one. */
function* rowsOf<Row>(days: StoredDays, wanted: Iterable<Day>): Generator<Row> {
  for (const day of wanted) {
    const row = days.get(day);
    if (row !== undefined) yield row as Row;
  }
}
