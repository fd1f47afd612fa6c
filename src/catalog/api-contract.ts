import { type Day, type Instant, later } from './day.ts';
import { byName } from './object.ts';

/** A field is missing once so many active days lack it. */
const MISSING_DAYS = 7;

/** Where the members of a dataset's stored rows are read from. */
export interface ApiFields {
  readonly path: string;
  /** What is before a field: the list whose elements have it. */
  readonly element: string;
  /** The field of each member of a row, or of the entries of a list of it. */
  readonly members: Readonly<Record<string, string>>;
}

/** What the API is known to send at a path of an answer's elements; an element of a list has the path of the list. */
export interface ApiContract {
  /** Empty for an element of an answer. */
  readonly path: string;
  /** Those of the object, or of each element of the list or record, by name; without them, the value is read as a whole. */
  readonly members?: ReadonlyMap<string, ApiContract> | undefined;
  /** Paths of members that are not read, on purpose. */
  readonly unread: ReadonlySet<string>;
  /** The known values of a text, or member names of an object, as `spelling` writes them; by default any. */
  readonly known?: ReadonlySet<string> | undefined;
  /** Whether it describes more than its day: then it shows no activity on it. */
  readonly isBeyondDay: boolean;
  isReadable(value: unknown): boolean;
  /** The objects that have the members, if the value has the form for that. */
  partsOf(value: unknown): readonly unknown[];
  /** Whether it is left out where there is nothing to count: then it is never missing. */
  readonly isOptional: boolean;
  /** When an element is from: 0 if it does not say, infinite if that is unreadable. */
  whenOf(element: Readonly<Record<string, unknown>>): Instant;
  /** The day that an element is about; undefined if it is about none. */
  dayOf(element: Readonly<Record<string, unknown>>): Day | undefined;
}

/** The path of a member of what is at a path. */
export function pathOf(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** A value as it is compared: upper and lower case, hyphens and underscores are used alike. */
export function spelling(value: string): string {
  return value.toLowerCase().replaceAll('_', '-');
}

/** What was seen of a field. */
export interface SeenField {
  /** The last day with it. */
  last?: Day | undefined;
  /** Days with activity of which an element lacked it. */
  lacking?: Set<Day>;
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
    const without = [...new Set([...since, ...(lacking ?? [])])].filter((day) => day > newest).sort();
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
