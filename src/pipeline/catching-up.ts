import { addDays, type Day } from '../catalog/day.ts';
import { LATE_DAYS, newestRowOf } from './wanted.ts';

/** What a run does about days without a row that their dataset goes past while it catches up. */
export interface CatchingUp {
  /**
   * Takes in what was answered, before it is stored; gives the days to ask for again in this run. A dataset that was
   * late has gone past them: what it said of them before says nothing any more.
   */
  answered(days: readonly Day[], rows: ReadonlyMap<Day, unknown>): Promise<readonly Day[]>;
  /** Called once all of them have been answered. */
  finished(): Promise<void>;
}

export interface CatchingUpParts {
  /** The covered days with their rows, as they were when the run began. */
  readonly covered: ReadonlyMap<Day, unknown>;
  readonly lastPass: Day | undefined;
  /** Notes another day as that of the last pass, from which follows until when days are settled. */
  putLastPass(day: Day): Promise<void>;
}

/** Begins with the days without a row that are newer than every row. */
export function createCatchingUp({ covered, lastPass, putLastPass }: CatchingUpParts): CatchingUp {
  const days = [...covered.keys()].sort();
  const [first, last] = [days[0], days.at(-1)];
  const newestRow = first && last && newestRowOf(covered, first, last);
  const late = new Set(newestRow === undefined ? days : days.filter((day) => day > newestRow));
  let unsettled = false;

  return {
    async answered(answered, rows) {
      for (const day of answered) late.delete(day);
      const newest = [...rows.keys()].sort().at(-1);
      const passed = [...late].filter((day) => newest !== undefined && day < newest);
      const [oldest] = passed;
      if (oldest === undefined) return [];
      for (const day of passed) late.delete(day);
      const before = addDays(oldest, LATE_DAYS);
      if (lastPass === undefined || lastPass <= before) return passed;
      // It outlasts a run that fails or is cut off: until they were asked for again, they are not known.
      if (!unsettled) await putLastPass(before);
      unsettled = true;
      return passed;
    },
    async finished() {
      if (!unsettled || lastPass === undefined) return;
      await putLastPass(lastPass);
      unsettled = false;
    },
  };
}
