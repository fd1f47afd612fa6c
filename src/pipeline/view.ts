import type { SparingDays } from '../catalog/collector.ts';
import type { DatasetName, DayDataset } from '../catalog/dataset.ts';
import { addDays, type Day, daysBetween, endOf, type Instant, yesterdayOf } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { View } from '../catalog/view.ts';
import type { OrgHistory } from '../history/history.ts';
import { LATE_DAY_MS } from './late-day.ts';
import { firstSparingDay } from './wanted.ts';

/** What a view is made of. */
export interface ViewParts {
  readonly history: OrgHistory;
  readonly settings: OrgSettings;
  /** The day datasets that are collected: a row in any of them shows that the platform has reached its day. */
  readonly datasets: readonly DatasetName[];
  readonly historyStart: Day;
  /** Of a dataset whose days are costly: how they are asked for. */
  readonly sparing?: ReadonlyMap<DatasetName, SparingDays> | undefined;
  /** Where older days are not kept: the first one that is, from which coverage counts. */
  readonly firstDay?: Day;
}

/**
 * Sees an organization's history from an instant; nothing of a day that was not over then is visible. A backfill
 * looks back from `knownAt`: whether a day without a row had no activity is judged by what is known by then.
 */
export function createView(parts: ViewParts, asOf: Instant, knownAt: Instant = asOf): View {
  const { history, settings, historyStart, firstDay = historyStart } = parts;
  const newestPossible = yesterdayOf(asOf);
  const newestRow = newestRowDay(parts, yesterdayOf(knownAt));
  const newest = new Map<DatasetName, Day | undefined>();

  function isOver(day: Day): boolean {
    return (newestRow !== undefined && day <= newestRow) || knownAt >= endOf(day) + LATE_DAY_MS;
  }

  function row<Row>(dataset: DayDataset<Row>, day: Day): Row | undefined {
    const days = history.days(dataset.name);
    if (day > newestPossible || !days.has(day)) return undefined;
    const kept = days.get(day);
    if (kept !== undefined) return kept as Row;
    return isOver(day) ? dataset.idle : undefined;
  }

  function newestDay(dataset: DayDataset<unknown>): Day | undefined {
    if (!newest.has(dataset.name)) newest.set(dataset.name, findNewest(dataset));
    return newest.get(dataset.name);
  }

  function findNewest(dataset: DayDataset<unknown>): Day | undefined {
    for (let day = newestPossible; day >= historyStart; day = addDays(day, -1)) {
      if (row(dataset, day) !== undefined) return day;
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
    newestDay,
    row,
    *rowsBefore<Row>(dataset: DayDataset<Row>, day: Day) {
      const days = history.days(dataset.name);
      for (let at = addDays(day, -1); at >= historyStart; at = addDays(at, -1)) {
        const kept = days.get(at);
        if (kept !== undefined) yield kept as Row;
      }
    },
    documents: <Document>(dataset: { readonly name: DatasetName }) =>
      history.documents(dataset.name) as readonly Document[],
    uncoveredDays(dataset) {
      const days = history.days(dataset);
      const sparing = parts.sparing?.get(dataset);
      const asked = sparing && firstSparingDay(sparing, newestPossible, days);
      const first = asked === undefined || asked < firstDay ? firstDay : asked;
      let uncovered = Math.max(0, daysBetween(first, newestPossible) + 1);
      for (const day of days.keys()) {
        if (day >= first && day <= newestPossible) uncovered--;
      }
      return uncovered;
    },
    once,
  };
  return view;
}

/** The newest day for which any dataset has a row. */
function newestRowDay(parts: ViewParts, upTo: Day): Day | undefined {
  let newest: Day | undefined;
  for (const dataset of parts.datasets) {
    for (const [day, row] of parts.history.days(dataset)) {
      if (row === undefined || day > upTo) continue;
      if (newest === undefined || day > newest) newest = day;
    }
  }
  return newest;
}
