import { addDays, type Day } from '../catalog/day.ts';

/** A calendar month, or the part of it that is wanted. */
export interface Month {
  /** `YYYY-MM`. */
  readonly name: string;
  /** Its days, oldest first. */
  readonly days: readonly Day[];
}

/** The months of an inclusive range of days, oldest first; none where `to` lies before `from`. */
export function monthsOf(from: Day, to: Day): readonly Month[] {
  const days: Day[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return [...Map.groupBy(days, (day) => day.slice(0, 7))].map(([name, ofMonth]) => ({ name, days: ofMonth }));
}
