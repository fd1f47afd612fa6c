import { type ExpensiveDataset, limitsUnder } from '../catalog/collector.ts';
import type { DatasetName, DayDataset } from '../catalog/dataset.ts';
import { addDays, type Day, daysBetween, type Instant, later, yesterdayOf } from '../catalog/day.ts';
import { type DayRules, dayRulesOf, firstWithin } from '../catalog/day-rules.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { StoredOrg } from '../store/store.ts';
import { firstExpensiveDay, newestRowOf, settledUntil } from './days-to-fetch.ts';

/**
 * The state of a day of a dataset:
 * - `row`: the platform reported a row.
 * - `idle`: no activity. Shown as 0.
 * - `provisional`: idle, but after the newest row of its dataset: a later row would show that the dataset was late. Shown as 0.
 *   There is none where the platform's rules say that such a day is idle.
 * - `unused`: the day was answered, but the dataset never had a row.
 * - `unknown`: not fetched yet, or its row may come late. An earlier day is shown.
 */
export type DayState = 'row' | 'idle' | 'provisional' | 'unused' | 'unknown';

/** The input of coverage. */
export interface CoverageParts {
  /** The stored days; coverage does not read their rows. */
  readonly history: StoredOrg;
  /** The day datasets that are collected. */
  readonly datasets: readonly DayDataset<unknown>[];
  readonly historyStart: Day;
  /** The first day that is kept, if older ones are dropped; coverage counts from it. */
  readonly firstDay?: Day | undefined;
  /** Fetch limits of the expensive datasets. */
  readonly expensive?: ReadonlyMap<DatasetName, ExpensiveDataset> | undefined;
  /** The organization's settings, which may need more days of the expensive datasets. */
  readonly settings?: OrgSettings | undefined;
}

/** The state of each day of an organization, derived from the answers of all collected datasets until `knownAt`. */
export class Coverage {
  readonly #parts: CoverageParts;
  readonly #knownAt: Instant;
  readonly #firstDay: Day;
  readonly #newest: Day;
  /** The newest settled day of each dataset: up to it, no row can be late. */
  readonly #settled: ReadonlyMap<DatasetName, Day | undefined>;
  /** The states of the days without a row, computed on first use. */
  readonly #withoutRow = new Map<DatasetName, ReadonlyMap<Day, DayState>>();

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
    return history.days(dataset).isFilled(day) ? 'row' : (this.#withoutRowOf(dataset).get(day) ?? 'unknown');
  }

  /** Whether the platform has answered for a dataset, but never with a row. */
  isUnused(dataset: DatasetName): boolean {
    return this.#newestRow(dataset) === undefined && this.#parts.history.days(dataset).size > 0;
  }

  /** The number of unknown days of a dataset, from the first day that is fetched to `upTo`. */
  unknownDays(dataset: DatasetName, upTo: Day): number {
    const first = this.#firstAsked(dataset);
    const isKnown = (day: Day) => day >= first && day <= upTo && this.stateOf(dataset, day) !== 'unknown';
    const known = [...this.#parts.history.days(dataset).keys()].filter(isKnown);
    return Math.max(0, daysBetween(first, upTo) + 1) - known.length;
  }

  /** The days without a row that count as days without activity. */
  idleDays(dataset: DatasetName): ReadonlySet<Day> {
    return new Set(
      [...this.#withoutRowOf(dataset)].flatMap(([day, state]) =>
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

  /** Whether a dataset reports no activity on a day. With `settled`, a day without a row counts only once no row can be late. */
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

  #withoutRowOf(dataset: DatasetName): ReadonlyMap<Day, DayState> {
    const states = this.#withoutRow.get(dataset) ?? this.#statesOf(dataset);
    this.#withoutRow.set(dataset, states);
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
    const { emptyIsIdle = false } = this.#rulesOf(dataset);
    const idle = emptyIsIdle ? 'idle' : 'provisional';
    const afterLast = addDays(last, 1);
    let isLate = false;
    for (let day = later(afterLast, first); day <= this.#newest; day = addDays(day, 1)) {
      isLate ||=
        !days.has(day) ||
        !this.#isSettled(dataset, day) ||
        !(emptyIsIdle || this.#areOthersQuiet(dataset, day, true));
      states.set(day, isLate ? 'unknown' : idle);
    }
    return states;
  }
}
