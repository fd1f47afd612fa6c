import type { Day } from '../catalog/day.ts';
import { isDamaged } from '../catalog/parts.ts';
import type { AnsweredDays, Revision } from './history.ts';
import type { KeptDataset } from './kept.ts';
import { mergeRow, unsettled } from './merge-row.ts';

/** The covered days once an answer has been added, and the days that it revised. */
export function mergeDays(
  before: ReadonlyMap<Day, unknown>,
  answer: AnsweredDays,
): { days: ReadonlyMap<Day, unknown>; revisions: readonly Revision[] } {
  const days = new Map(before);
  const revisions: Revision[] = [];
  for (const day of answer.days) {
    const old = before.get(day);
    const row = answer.rows.get(day);
    if (row === undefined || old === undefined) {
      days.set(day, row ?? old);
      continue;
    }
    const { row: merged, isRevised } = mergeRow(old, row, answer.parts ?? {});
    days.set(day, merged);
    if (isRevised) revisions.push({ day, before: old, after: merged });
  }
  return { days, revisions };
}

/** A dataset as it was stored, with what was seen since; `isListed`: the documents seen since are all there are. */
export function absorbDataset(stored: KeptDataset, seen: KeptDataset, isListed: boolean): KeptDataset {
  const days = new Map(stored.days);
  for (const [day, row] of seen.days) {
    const old = days.get(day);
    days.set(day, old !== undefined && isDamaged(row) ? unsettled(old, row) : (row ?? old));
  }
  return {
    days,
    documents: isListed ? seen.documents : new Map([...stored.documents, ...seen.documents]),
    answeredAt: seen.answeredAt ?? stored.answeredAt,
    succeededAt: seen.succeededAt ?? stored.succeededAt,
    revisedOn: seen.revisedOn ?? stored.revisedOn,
  };
}

/** The documents that were stored and are not among those seen since. */
export function absorbedDocuments(stored: KeptDataset, seen: KeptDataset | undefined): readonly string[] {
  return [...stored.documents.keys()].filter((id) => seen?.documents.has(id) !== true);
}
