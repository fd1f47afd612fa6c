import type * as z from 'zod';
import { isObject } from '../catalog/object.ts';
import { UNUSABLE } from './fields.ts';

/** The usable parts of a row. */
interface Salvaged<Row> {
  /** The row without its unusable parts; undefined if nothing is usable. */
  readonly row: Row | undefined;
  /** Number of rejected fields and elements; an element counts once with its fields, a whole row as 1. */
  readonly rejected: number;
  /** The top-level member of each fault. */
  readonly members: readonly string[];
}

type Step = string | number;
type Holder = Record<Step, unknown>;

/**
 * Parses an untrusted row and rejects as little as possible: first the field, then the element that requires it, last
 * the row. What is rejected within a member is replaced by `UNUSABLE` before it is removed: a schema that accepts that knows
 * that a part of its sums is missing. Mutates the row.
 */
export function salvage<Row>(schema: z.ZodType<Row>, row: unknown): Salvaged<Row> {
  const cuts = new Map<unknown, number>();
  const members: string[] = [];
  const removed = new Map<unknown, Set<Step>>();
  let rejected = 0;
  for (;;) {
    const parsed = schema.safeParse(row);
    if (parsed.success) return { row: parsed.data, rejected, members };
    const doomed = outermost(
      parsed.error.issues.map((issue) => prunable(row, issue.path.map(step), removed)),
    );
    if (doomed.some((path) => path.length === 0)) return { row: undefined, rejected: 1, members: [] };
    // An element rejected because a field of it was rejected before is one fault, not two.
    for (const path of doomed) {
      // What is pruned is always within an object or an array.
      const holder = valueAt(row, path.slice(0, -1)) as Holder;
      const [key = '', value] = [path.at(-1), valueAt(row, path)];
      if (value === UNUSABLE) {
        cut(holder, key);
        removed.set(holder, (removed.get(holder) ?? new Set()).add(key));
        continue;
      }
      const counted = 1 - (cuts.get(value) ?? 0);
      if (path.length === 1) cut(holder, key);
      else holder[key] = UNUSABLE;
      rejected += counted;
      if (counted > 0) members.push(String(path[0]));
      cuts.set(holder, (cuts.get(holder) ?? 0) + counted);
    }
    dropHoles(row, doomed);
  }
}

type Sources<Row> = Readonly<Partial<Record<keyof Row & string, string>>>;

/**
 * Collects the usable documents of a listing, of which some can be damaged, and counts what is rejected, and lost as a whole. A
 * document that does not fit is rejected.
 */
export function createListing<Row extends object>(
  schema: z.ZodType<Row>,
  sources: Sources<Row>,
  fits: (document: Row) => boolean = () => true,
) {
  const found = { documents: [] as Row[], damaged: [] as Row[], rejected: 0, lost: 0 };

  function add(element: unknown): void {
    const { row, rejected, members } = salvage(schema, element);
    found.rejected += rejected;
    if (row === undefined) found.lost += 1;
    else if (fits(row)) {
      const document = withUnusable(row, members, sources);
      found.documents.push(document);
      if (rejected > 0) found.damaged.push(document);
    } else found.rejected += 1;
  }
  return { found, add };
}

/**
 * The row with null in place of what was rejected as a whole, which a sum must not take for nothing; `sources` has the
 * field of each such member. What was not sent stays missing.
 */
export function withUnusable<Row extends object>(
  row: Row,
  rejected: readonly string[],
  sources: Sources<Row>,
): Row {
  const unusable = Object.entries<string | undefined>(sources).flatMap(([member, field = '']) =>
    rejected.includes(field) && Reflect.get(row, member) === undefined ? [[member, null] as const] : [],
  );
  return { ...row, ...Object.fromEntries(unusable) };
}

function step(key: PropertyKey): Step {
  return typeof key === 'number' ? key : String(key);
}

/** The path to reject to resolve an issue: the field, or its parent if the field is missing at the top or was removed. */
function prunable(
  row: unknown,
  path: readonly Step[],
  removed: ReadonlyMap<unknown, ReadonlySet<Step>>,
): readonly Step[] {
  let at = path;
  while (at.length > 0 && valueAt(row, at) === undefined) {
    const holder = valueAt(row, at.slice(0, -1));
    const isOpen = at.length > 1 && isObject(holder);
    if (isOpen && removed.get(holder)?.has(at.at(-1) ?? '') !== true) break;
    at = at.slice(0, -1);
  }
  return at;
}

/** Distinct paths, without those nested in another one. */
function outermost(paths: readonly (readonly Step[])[]): (readonly Step[])[] {
  const seen = new Map(paths.map((path) => [JSON.stringify(path), path]));
  return [...seen.values()].filter((path) => {
    for (let length = 0; length < path.length; length++) {
      if (seen.has(JSON.stringify(path.slice(0, length)))) return false;
    }
    return true;
  });
}

function valueAt(row: unknown, path: readonly Step[]): unknown {
  let value = row;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Holder)[key];
  }
  return value;
}

function cut(holder: Holder, key: Step): void {
  if (Array.isArray(holder)) holder[Number(key)] = undefined;
  else delete holder[key];
}

/** Compacts arrays after elements were removed. */
function dropHoles(row: unknown, cuts: readonly (readonly Step[])[]): void {
  const holders = new Set(cuts.map((path) => valueAt(row, path.slice(0, -1))));
  for (const holder of holders) {
    if (!Array.isArray(holder)) continue;
    const kept = holder.filter((element) => element !== undefined);
    holder.length = 0;
    for (const element of kept) holder.push(element);
  }
}
