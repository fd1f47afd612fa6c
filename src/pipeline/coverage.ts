import { type ExpensiveDataset, limitsUnder } from '../catalog/collector.ts';
import type { DatasetName, DayDataset } from '../catalog/dataset.ts';
import { addDays, type Day, daysBetween, type Instant, later, yesterdayOf } from '../catalog/day.ts';
import { type DayRules, dayRulesOf, firstWithin } from '../catalog/day-rules.ts';
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

/** The states of all days of an organization, as known at an instant: what all collected datasets have answered until then. */
export class Coverage {
  readonly #parts: CoverageParts;
  readonly #knownAt: Instant;
  readonly #firstDay: Day;
  readonly #newest: Day;
  /** Until which day each dataset is settled. */
  readonly #settled: ReadonlyMap<DatasetName, Day | undefined>;
  /** The states of the covered days without a row, once they were asked for. */
  readonly #rowless = new Map<DatasetName, ReadonlyMap<Day, DayState>>();

  constructor(parts: CoverageParts, knownAt: Instant) {
    const { history, datasets, historyStart, firstDay = historyStart } = parts;
    this.#parts = parts;
    this.#knownAt = knownAt;
    this.#firstDay = firstDay;
    this.#newest = yesterdayOf(knownAt);
    this.#settled = new Map(
      datasets.map(({ name }) => [
        name,
        settledUntil(history.dataset(name).revisedOn, knownAt, this.#rulesOf(name)),
      ]),
    );
  }

  stateOf(dataset: DatasetName, day: Day): DayState {
    if (day > this.#newest) return 'unknown';
    const { history } = this.#parts;
    return history.days(dataset).isFilled(day) ? 'row' : (this.#rowlessOf(dataset).get(day) ?? 'unknown');
  }

  /** Whether a dataset was answered, but never with a row. */
  isUnused(dataset: DatasetName): boolean {
    return this.#newestRow(dataset) === undefined && this.#parts.history.days(dataset).size > 0;
  }

  /** The number of unknown days of a dataset, up to a day, among those that are fetched. */
  unknownDays(dataset: DatasetName, upTo: Day): number {
    const first = this.#firstAsked(dataset);
    const isKnown = (day: Day) => day >= first && day <= upTo && this.stateOf(dataset, day) !== 'unknown';
    const known = [...this.#parts.history.days(dataset).keys()].filter(isKnown);
    return Math.max(0, daysBetween(first, upTo) + 1) - known.length;
  }

  /** The days without a row that count as days without activity. */
  idleDays(dataset: DatasetName): ReadonlySet<Day> {
    return new Set(
      [...this.#rowlessOf(dataset)].flatMap(([day, state]) =>
        state === 'idle' || state === 'provisional' ? [day] : [],
      ),
    );
  }

  #newestRow(dataset: DatasetName): Day | undefined {
    const { history, historyStart } = this.#parts;
    return newestRowOf(history.days(dataset), historyStart, this.#newest);
  }

  #firstAsked(dataset: DatasetName): Day {
    const { expensive: limits, history, settings } = this.#parts;
    const declared = limits?.get(dataset);
    const expensive = declared && limitsUnder(declared, this.#rulesOf(dataset));
    const days = history.days(dataset);
    const first = expensive && firstExpensiveDay(expensive, this.#newest, days, settings);
    const from = first === undefined ? this.#firstDay : later(first, this.#firstDay);
    return firstWithin(from, this.#knownAt, this.#rulesOf(dataset));
  }

  #rulesOf(dataset: DatasetName): DayRules {
    return dayRulesOf(this.#parts.settings ?? {}, dataset);
  }

  /** Whether a dataset reports no activity on a day; `settled`: only if it did so when no row could be late. */
  #isQuiet(dataset: DayDataset<unknown>, day: Day, settled: boolean): boolean {
    const days = this.#parts.history.days(dataset.name);
    // Days that are never fetched say nothing and must not hold up the other datasets.
    if (!days.has(day)) return day < this.#firstAsked(dataset.name);
    if (days.isFilled(day)) return days.hasActivity(day) === false;
    return !settled || this.#isSettled(dataset.name, day);
  }

  #isSettled(dataset: DatasetName, day: Day): boolean {
    const until = this.#settled.get(dataset);
    return until !== undefined && day <= until;
  }

  #areOthersQuiet(dataset: DatasetName, day: Day, settled: boolean): boolean {
    return this.#parts.datasets.every(
      (other) => other.name === dataset || this.#isQuiet(other, day, settled),
    );
  }

  #rowlessOf(dataset: DatasetName): ReadonlyMap<Day, DayState> {
    const states = this.#rowless.get(dataset) ?? this.#statesOf(dataset);
    this.#rowless.set(dataset, states);
    return states;
  }

  #statesOf(dataset: DatasetName): ReadonlyMap<Day, DayState> {
    const { history, historyStart } = this.#parts;
    const days = history.days(dataset);
    const first = this.#firstAsked(dataset);
    const last = this.#newestRow(dataset);
    const states = new Map<Day, DayState>();
    for (const day of days.keys()) {
      if (day > this.#newest || day < historyStart || days.isFilled(day)) continue;
      if (last === undefined) states.set(day, 'unused');
      else if (day < last) {
        const isIdle = this.#isSettled(dataset, day) || this.#areOthersQuiet(dataset, day, false);
        states.set(day, isIdle ? 'idle' : 'unknown');
      }
    }
    if (last === undefined) return states;
    // After its newest row a dataset may be late: the first unknown day there makes all later ones unknown.
    const afterLast = addDays(last, 1);
    let isLate = false;
    for (let day = later(afterLast, first); day <= this.#newest; day = addDays(day, 1)) {
      isLate ||=
        !days.has(day) || !this.#isSettled(dataset, day) || !this.#areOthersQuiet(dataset, day, true);
      states.set(day, isLate ? 'unknown' : 'provisional');
    }
    return states;
  }
}
