import { addDays, type Day } from '../../catalog/day.ts';

/** The first day of a day's calendar month. */
export function firstOfMonth(day: Day): Day {
  return `${day.slice(0, 8)}01` as Day;
}

/** The last day of a day's calendar month. */
export function lastOfMonth(day: Day): Day {
  // 31 days after a first always lie in the next month.
  return addDays(firstOfMonth(addDays(firstOfMonth(day), 31)), -1);
}

/** The days from one to another, both included; none where `to` lies before `from`. */
export function daysFrom(from: Day, to: Day): readonly Day[] {
  const days: Day[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}

/** The days of the month up to a day, that day included. */
export function monthSoFar(day: Day): readonly Day[] {
  return daysFrom(firstOfMonth(day), day);
}

/** The days of the month that follow a day. */
export function restOfMonth(day: Day): readonly Day[] {
  return daysFrom(addDays(day, 1), lastOfMonth(day));
}
