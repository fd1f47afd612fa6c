import { isDamaged, type Reduced, type RowParts, rejectedIn, rejectedOf } from '../catalog/dataset.ts';
import type { Day } from '../catalog/day.ts';
import type { AnsweredDays, DatasetState, Revision, StoredAnswer } from './history.ts';
import { changed, opened, textOf } from './packed.ts';

/** The known days after an answer was added, which are the same map if it says nothing new, and its effect on them. */
export function mergeDays(
  before: ReadonlyMap<Day, unknown>,
  answer: AnsweredDays,
): {
  readonly days: ReadonlyMap<Day, unknown>;
  readonly changed: readonly Day[];
  readonly stored: StoredAnswer;
} {
  const known = opened(before);
  const changes = new Map<Day, unknown>();
  const revisions: Revision[] = [];
  let missing = 0;
  for (const day of answer.days) {
    const old = known.get(day);
    const row = answer.rows.get(day);
    if (row === undefined || old === undefined) {
      if (row !== undefined || !known.has(day)) changes.set(day, row);
      continue;
    }
    const merged = mergeRow(old, row, answer.parts ?? {});
    if (merged.row !== old) changes.set(day, merged.row);
    missing += merged.missing;
    if (merged.isRevised) revisions.push({ day, before: old, after: merged.row });
  }
  return { days: changed(before, changes), changed: [...changes.keys()], stored: { revisions, missing } };
}

/** A stored dataset merged with newer data; `isListed`: the newer documents are complete. */
export function absorbDataset(stored: DatasetState, seen: DatasetState, isListed: boolean): DatasetState {
  const [known, newer] = [opened(stored.days), opened(seen.days)];
  const changes = new Map<Day, unknown>();
  for (const day of newer.keys()) {
    // A file that was read before is mostly the same: its rows are not parsed.
    const text = textOf(newer, day);
    if (text === undefined ? known.has(day) : text === textOf(known, day)) continue;
    const [old, row] = [known.get(day), newer.get(day)];
    changes.set(day, old !== undefined && isDamaged(row) ? unsettled(old, row) : (row ?? old));
  }
  return {
    days: changed(stored.days, changes),
    documents: isListed ? seen.documents : new Map([...opened(stored.documents), ...opened(seen.documents)]),
    answeredAt: seen.answeredAt ?? stored.answeredAt,
    succeededAt: seen.succeededAt ?? stored.succeededAt,
    revisedOn: seen.revisedOn ?? stored.revisedOn,
  };
}

/** The stored documents that are not among the newer ones. */
export function absorbedDocuments(stored: DatasetState, seen: DatasetState | undefined): readonly string[] {
  return [...stored.documents.keys()].filter((id) => seen?.documents.has(id) !== true);
}

/**
 * A text that is equal for two values exactly if they contain the same data, regardless of the order of keys and
 * elements.
 */
export function fingerprint(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(fingerprint).sort().join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${fingerprint(member)}`);
  return `{${members.sort().join(',')}}`;
}

type Members = Readonly<Record<string, unknown>>;

interface MergedRow {
  readonly row: unknown;
  /** Whether a part that was complete has changed. */
  readonly isRevised: boolean;
  /** Number of fields that keep their stored values because the answer lacks them without a fault of its own. */
  readonly missing: number;
}

/**
 * A day's row after another answer: each complete part of the answer replaces the stored one, each incomplete part
 * keeps it. A breakdown goes with its totals. Rows that were made in different ways, such as under different identity modes, are
 * not mixed.
 */
export function mergeRow(stored: unknown, answered: unknown, parts: RowParts): MergedRow {
  const [before, after] = [stored as Members, answered as Members];
  // Nearly every answer: a text of the data as it is costs a fraction of a fingerprint.
  if (before['rejected'] === undefined && JSON.stringify(stored) === JSON.stringify(answered))
    return { row: stored, isRevised: false, missing: 0 };
  if (fingerprint(outside(before, parts)) !== fingerprint(outside(after, parts))) {
    return { row: answered, isRevised: fingerprint(stored) !== fingerprint(answered), missing: 0 };
  }
  const rejected: Record<string, number> = {};
  const changed = new Set<string>();
  const kept = new Set<string>();
  let row = answered as Members;
  let isRevised = false;
  let missing = 0;
  for (const [name, part] of totalsFirst(parts)) {
    const [faultsBefore, faultsAfter] = [rejectedIn(before, name, parts), rejectedIn(after, name, parts)];
    const [old, now] = [valuesOf(before, part.members), valuesOf(after, part.members)];
    if (faultsBefore === 0 && faultsAfter === 0 && part.isCoarser?.(old[0], now[0]) === true) {
      for (const [index, member] of part.members.entries()) row = withValue(row, member, old[index]);
      continue;
    }
    const isKnown = old.some((value) => value !== undefined);
    const lacking = part.mayLack
      ? 0
      : old.filter((value, index) => value !== undefined && now[index] === undefined).length;
    const isWorse =
      faultsBefore === 0
        ? faultsAfter > 0 || lacking > 0
        : faultsAfter > 0 && (faultsAfter > faultsBefore || lacking > 0);
    const follows = part.breaksDown ?? [];
    const hasNewTotal = follows.some((total) => changed.has(total));
    const hasOldTotal = !hasNewTotal && follows.some((total) => kept.has(total));
    if (faultsAfter === 0) missing += lacking;
    if (hasOldTotal || (isKnown && isWorse && !hasNewTotal)) {
      for (const [index, member] of part.members.entries()) row = withValue(row, member, old[index]);
      if (isWorse || faultsBefore > 0) rejected[name] = faultsBefore;
      kept.add(name);
      continue;
    }
    if (faultsAfter > 0) rejected[name] = faultsAfter;
    if (fingerprint(old.map(indexed)) === fingerprint(now.map(indexed))) continue;
    changed.add(name);
    if (faultsBefore === 0) isRevised = true;
  }
  const account: Reduced = Object.keys(rejected).length === 0 ? {} : { rejected };
  return { row: { ...without(row, 'rejected'), ...account }, isRevised, missing };
}

/** The parts, each after those that it breaks down. */
function totalsFirst(parts: RowParts): readonly (readonly [string, RowParts[string]])[] {
  const all = Object.entries(parts);
  return [
    ...all.filter(([, { breaksDown }]) => breaksDown === undefined),
    ...all.filter(([, { breaksDown }]) => breaksDown !== undefined),
  ];
}

/** The stored row, if a later one is damaged: it stays as a whole and is fetched again. */
function unsettled(stored: unknown, later: unknown): unknown {
  const parts = Object.keys(rejectedOf(later)).map((name) => [name, rejectedOf(stored)[name] ?? 0] as const);
  return { ...(stored as Members), rejected: { ...rejectedOf(stored), ...Object.fromEntries(parts) } };
}

function outside(row: Members, parts: RowParts): Members {
  const inside = new Set(
    Object.values(parts).flatMap(({ members }) => members.map((member) => member.split('.')[0])),
  );
  return Object.fromEntries(
    Object.entries(row).filter(([member]) => member !== 'rejected' && !inside.has(member)),
  );
}

/** The index distinguishes a value from its neighbours in the fingerprint, which ignores the order of elements. */
function indexed(value: unknown, index: number): unknown {
  return { [index]: value };
}

function without(row: Members, name: string): Members {
  return Object.fromEntries(Object.entries(row).filter(([member]) => member !== name));
}

function valuesOf(row: Members, members: readonly string[]): readonly unknown[] {
  return members.map((member) => {
    const [outer = '', inner] = member.split('.');
    const value = row[outer];
    return inner === undefined ? value : (value as Members | undefined)?.[inner];
  });
}

function withValue(row: Members, member: string, value: unknown): Members {
  const [outer = '', inner] = member.split('.');
  if (inner === undefined) return { ...row, [outer]: value };
  return { ...row, [outer]: { ...(row[outer] as Members | undefined), [inner]: value } };
}
