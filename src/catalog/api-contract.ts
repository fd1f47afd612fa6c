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
  /** Looks at the elements of an answer, before anything changes them. */
  lookInto(body: unknown): void;
  /** Looks at elements. */
  lookAt(elements: readonly unknown[]): void;
  /**
   * The fields that are not read, as paths: those that the contract does not know, those that no element had in a readable form, and
   * those with a value outside its known set.
   */
  unknown(): readonly string[];
  /** The known fields of each day that was looked at, as paths. */
  days(): ReadonlyMap<Day, FieldsOfDay>;
}

/** The known fields of a day. Of a list without elements nothing is known. */
export interface FieldsOfDay {
  readonly carried: ReadonlySet<string>;
  /** Those that no element had; empty for a day without activity. */
  readonly lacking: ReadonlySet<string>;
}

/**
 * The fields that rows of a dataset have carried, by path: the last day with it, and the first active days after that without, at
 * most seven. A plain value that outlives the process.
 */
export type KnownFields = Readonly<Record<string, readonly [last: Day, ...since: Day[]]>>;

/** Adds what was seen of some days, in any order; a day may be seen again with more or fewer fields. */
export function withDays(known: KnownFields, days: ReadonlyMap<Day, FieldsOfDay>): KnownFields {
  const fields = new Map(Object.entries(known));
  for (const [day, { carried, lacking }] of days) {
    for (const path of carried) {
      const [last = day, ...since] = fields.get(path) ?? [];
      const newest = later(day, last);
      fields.set(path, [newest, ...since.filter((one) => one > newest)]);
    }
    for (const path of lacking) {
      const [last, ...since] = fields.get(path) ?? [];
      if (last === undefined || day <= last) continue;
      fields.set(path, [last, ...[...new Set([...since, day])].sort().slice(0, MISSING_DAYS)]);
    }
  }
  return Object.fromEntries([...fields].sort(byName));
}

/** The paths of the fields that were carried before, and by none of seven active days since. */
export function missingIn(known: KnownFields): readonly string[] {
  return Object.entries(known).flatMap(([path, [, ...since]]) =>
    since.length >= MISSING_DAYS ? [path] : [],
  );
}
