import { type Day, later } from './day.ts';
import { byName } from './object.ts';

/** Names of unknown fields that are kept of a dataset: a hostile answer has as many as it likes. */
export const MAX_NAMES = 50;

/** A field is missing once so many active days lack it. */
const MISSING_DAYS = 7;

/** What the elements of a dataset's answers are known to contain. */
export interface ApiContract {
  /** Begins to compare answers with it. */
  watch(): FieldWatch;
}

/** Compares answers with a contract. It keeps names of fields and never a value. */
export interface FieldWatch {
  /** Looks at elements of an answer, before anything changes them. */
  lookAt(elements: readonly unknown[]): void;
  /**
   * The fields that are not read, as paths: those that the contract does not know, those that no element had in a readable form, and
   * those with a value outside its known set.
   */
  unknown(): readonly string[];
  /** What was seen of the known fields of days, by path. Of a list without elements nothing is known. */
  seen(): ReadonlyMap<string, SeenField>;
}

/** What was seen of a field. */
export interface SeenField {
  /** The last day with it. */
  last?: Day | undefined;
  /** Days with activity of which an element lacked it. */
  readonly lacking: Set<Day>;
}

/**
 * The fields that rows of a dataset have carried, by path: the last day with it, and the first active days after that without, at
 * most seven. A plain value that outlives the process.
 */
export type KnownFields = Readonly<Record<string, readonly [last: Day, ...since: Day[]]>>;

/** Adds what was seen of some days, in any order; a day may be seen again with more or fewer fields. */
export function withSeen(known: KnownFields, seen: ReadonlyMap<string, SeenField>): KnownFields {
  const fields = new Map(Object.entries(known));
  for (const [path, { last, lacking }] of seen) {
    const [before = last, ...since] = fields.get(path) ?? [];
    if (before === undefined) continue;
    const newest = later(before, last ?? before);
    const without = [...new Set([...since, ...lacking])].filter((day) => day > newest).sort();
    fields.set(path, [newest, ...without.slice(0, MISSING_DAYS)]);
  }
  return Object.fromEntries([...fields].sort(byName));
}

/** The paths of the fields that were carried before, and by none of seven active days since. */
export function missingIn(known: KnownFields): readonly string[] {
  return Object.entries(known).flatMap(([path, [, ...since]]) =>
    since.length >= MISSING_DAYS ? [path] : [],
  );
}
