import { type Day, dayOf } from '../catalog/day.ts';
import type { KeptDataset } from './kept.ts';

/** What of a dataset is old, and whether nothing is left of it. Documents have no age but their last listing's. */
export function withoutOld(
  { days, documents, answeredAt }: KeptDataset,
  firstDay: Day,
  isPolled: boolean,
): { days: readonly Day[]; documents: readonly string[]; isEmpty: boolean } {
  const newest = isPolled ? newestRow(days) : undefined;
  const old = [...days.keys()].filter((day) => day < firstDay && day !== newest);
  const isForgotten = !isPolled && (answeredAt === undefined || dayOf(answeredAt) < firstDay);
  const isEmpty = isForgotten && old.length === days.size;
  return { days: old, documents: isEmpty ? [...documents.keys()] : [], isEmpty };
}

function newestRow(days: ReadonlyMap<Day, unknown>): Day | undefined {
  let newest: Day | undefined;
  for (const [day, row] of days) {
    if (row !== undefined && (newest === undefined || day > newest)) newest = day;
  }
  return newest;
}

/** The days but for those that go. */
export function without(days: ReadonlyMap<Day, unknown>, gone: readonly Day[]): ReadonlyMap<Day, unknown> {
  const left = new Map(days);
  for (const day of gone) left.delete(day);
  return left;
}
