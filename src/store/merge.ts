import { type Reduced, type RowParts, rejectedIn, withMember } from '../catalog/dataset.ts';
import type { Day } from '../catalog/day.ts';
import type { AnsweredDays, Revision, StoredAnswer } from './store.ts';

/** The days that an answer changes, and the revisions among them. */
interface MergedDays {
  /** The days to store: with their rows, or undefined for one that was answered without a row. */
  readonly changes: ReadonlyMap<Day, unknown>;
  readonly stored: StoredAnswer;
}

/**
 * Merges an answer with the stored days. `known` has an entry for each day that was answered before: its row, or undefined for a
 * day without one. Yields after each day.
 */
export function* mergeDays(
  known: ReadonlyMap<Day, unknown>,
  answer: AnsweredDays,
): Generator<undefined, MergedDays> {
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
    yield;
    const merged = mergeRow(old, row, answer.parts ?? {});
    if (merged.row !== old && fingerprint(merged.row) !== fingerprint(old)) changes.set(day, merged.row);
    missing += merged.missing;
    if (merged.isRevised) revisions.push({ day, before: old, after: merged.row });
  }
  return { changes, stored: { revisions, missing } };
}

/**
 * A text that is equal for two values exactly if they contain the same data, regardless of the order of keys and
 * elements.
 */
function fingerprint(value: unknown): string {
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
  /** Whether the answer has changed a part that was complete. */
  readonly isRevised: boolean;
  /** Number of fields that keep their stored values because the answer lacks them without a fault of its own. */
  readonly missing: number;
}

/**
 * Merges the stored row of a day with the row of another answer. A complete part of the answer replaces the stored part; for an
 * incomplete part, the stored one stays. A breakdown follows its totals. Never mixes rows that were made in different ways, such as
 * under different identity modes.
 */
export function mergeRow(stored: unknown, answered: unknown, parts: RowParts): MergedRow {
  const [before, after] = [stored as Members, answered as Members];
  // Nearly every answer repeats the row: comparing JSON costs a fraction of comparing fingerprints.
  if (before['rejected'] === undefined && JSON.stringify(stored) === JSON.stringify(answered))
    return { row: stored, isRevised: false, missing: 0 };
  if (fingerprint(outside(before, parts)) !== fingerprint(outside(after, parts)))
    return { row: answered, isRevised: true, missing: 0 };
  const rejected: Record<string, number> = {};
  const fates = new Map<string, Fate>();
  let row = answered as Members;
  let isRevised = false;
  let missing = 0;
  for (const [name, part] of totalsFirst(parts)) {
    const [faultsBefore, faultsAfter] = [rejectedIn(before, name, parts), rejectedIn(after, name, parts)];
    const [old, now] = [valuesOf(before, part.members), valuesOf(after, part.members)];
    const lacking = lackingIn(part, old, now);
    const isWorse = isWorseThan(faultsBefore, faultsAfter, lacking);
    const fate = fateOf(part, { old, now, isWorse, isFaultless: faultsBefore + faultsAfter === 0 }, fates);
    fates.set(name, fate);
    if (fate === 'coarser') row = withMembers(row, part, old);
    else if (faultsAfter === 0) missing += lacking;
    if (fate === 'kept') {
      row = withMembers(row, part, old);
      if (isWorse || faultsBefore > 0) rejected[name] = faultsBefore;
    } else if (faultsAfter > 0) rejected[name] = faultsAfter;
    if (fate === 'changed' && faultsBefore === 0) isRevised = true;
  }
  const account: Reduced = Object.keys(rejected).length === 0 ? {} : { rejected };
  return { row: { ...without(row, 'rejected'), ...account }, isRevised, missing };
}

/**
 * What happens to a part of a stored row. `kept`: it stays, because the answer is worse, or because the total that it breaks down
 * was kept. `coarser`: it stays, because the answer has the same figures in less detail. `same`, `changed`: the answer replaces it,
 * with the same or with other values.
 */
type Fate = 'kept' | 'coarser' | 'same' | 'changed';

function fateOf(
  part: RowParts[string],
  values: {
    readonly old: readonly unknown[];
    readonly now: readonly unknown[];
    readonly isWorse: boolean;
    readonly isFaultless: boolean;
  },
  fates: ReadonlyMap<string, Fate>,
): Fate {
  const { old, now, isWorse, isFaultless } = values;
  if (isFaultless && part.isCoarser?.(old[0], now[0]) === true) return 'coarser';
  const totals = part.breaksDown?.map((total) => fates.get(total)) ?? [];
  const isKnown = old.some((value) => value !== undefined);
  if (!totals.includes('changed') && (totals.includes('kept') || (isKnown && isWorse))) return 'kept';
  return fingerprint(old.map(indexed)) === fingerprint(now.map(indexed)) ? 'same' : 'changed';
}

/** The row with the values of a part's members. */
function withMembers(row: Members, { members }: RowParts[string], values: readonly unknown[]): Members {
  return members.reduce((all, member, index) => withMember(all, member, values[index]), row);
}

/** The number of members that an answer lacks without being allowed to. */
function lackingIn(
  { members, mayLack }: RowParts[string],
  old: readonly unknown[],
  now: readonly unknown[],
): number {
  return members.filter(
    (member, index) =>
      old[index] !== undefined && now[index] === undefined && mayLack?.includes(member) !== true,
  ).length;
}

/** Whether an answer with this many faults and missing members is worse than the stored row. */
function isWorseThan(faultsBefore: number, faultsAfter: number, lacking: number): boolean {
  if (faultsBefore === 0) return faultsAfter > 0 || lacking > 0;
  return faultsAfter > 0 && (faultsAfter > faultsBefore || lacking > 0);
}

/** The parts in an order in which totals come before their breakdowns. */
function totalsFirst(parts: RowParts): readonly (readonly [string, RowParts[string]])[] {
  const all = Object.entries(parts);
  return [
    ...all.filter(([, { breaksDown }]) => breaksDown === undefined),
    ...all.filter(([, { breaksDown }]) => breaksDown !== undefined),
  ];
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
