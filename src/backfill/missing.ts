import type { Day } from '../catalog/day.ts';

/** Days of organizations and datasets that are missing from what was written. */
interface Missing {
  readonly unknown: ReadonlyMap<string, readonly Day[]>;
  /** Known, but without a price. */
  readonly omitted?: ReadonlyMap<string, readonly Day[]>;
  readonly interrupted: boolean;
}

/** What is missing, in lines, and the exit code: 1 if anything is. `failed` are the collectors whose days could not be fetched. */
export function missingOf({ unknown, omitted = new Map(), interrupted }: Missing, failed: readonly string[]) {
  const lines = [...unknown].map(([who, days]) => `unknown: ${who} on ${spanOf(days)}`);
  for (const [who, days] of omitted) lines.push(`without a price: ${who} on ${spanOf(days)}`);
  if (failed.length > 0) lines.push(`failed to fetch: ${failed.join(', ')}`);
  return { lines, code: interrupted || unknown.size > 0 || failed.length > 0 ? 1 : 0 };
}

/** Adds a day to those of an organization and collector. */
export function noteDay(days: Map<string, Day[]>, who: string, day: Day): void {
  days.set(who, [...(days.get(who) ?? []), day]);
}

/** Some days in words: their number, the first and the last. */
export function spanOf(days: readonly Day[]): string {
  return `${days.length} ${days.length === 1 ? 'day' : 'days'}, ${days[0]} to ${days.at(-1)}`;
}
