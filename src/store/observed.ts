import { type KnownFields, withSeen } from '../catalog/api-contract.ts';
import type { DatasetName } from '../catalog/dataset.ts';
import { addDays, type Day, dayOf, endOf, type Instant, yesterdayOf } from '../catalog/day.ts';
import { type DayLags, LAG_BOUNDS, type LagKind } from '../catalog/day-lag.ts';
import { attempt } from '../text/errors.ts';
import type { Query, Row } from './database.ts';
import type { Place } from './statements.ts';
import type { AnsweredDays, LagNotes } from './store.ts';

/** Days before the newest are compared once a day; in milliseconds, with some time for a run that failed. */
const DAILY_MS = 26 * 3_600_000;
/** For how many more days an answer with a day that is compared is awaited. */
const AWAITED_DAYS = 14;

/** What was observed of a dataset's answers, besides their rows: a plain value. */
interface Observed {
  readonly fields?: KnownFields;
  /** The newest day that had a row. */
  readonly newest?: Day | undefined;
  /** The days that are compared since their rows were first seen: when a row last changed, and when it was compared. */
  readonly days?: Readonly<Record<string, readonly [changedAt: Instant, comparedAt: Instant]>>;
  readonly lags?: DayLags | undefined;
}

/** Follows the days and fields of an answer, and counts the lags of days. */
export function withAnswer(
  before: Observed,
  { rows, at, seen = new Map() }: Pick<AnsweredDays, 'rows' | 'at' | 'seen'>,
  { isNews, isNextPoll, comparedDays }: LagNotes,
  revised: ReadonlySet<Day>,
): Observed {
  const isLast = (day: Day) => dayOf(at) >= addDays(day, comparedDays);
  const compared = Object.entries(before.days ?? {}) as [Day, readonly [Instant, Instant]][];
  const days = new Map(compared.filter(([day]) => !isLast(addDays(day, AWAITED_DAYS))));
  let { lags } = before;
  /** When a row last changed; undefined if it is no longer to be found out. */
  function changedAtOf(day: Day, changedAt: Instant, comparedAt: Instant): Instant | undefined {
    if (!revised.has(day)) return changedAt;
    const isKnown = day === yesterdayOf(at) ? isNextPoll : at - comparedAt <= DAILY_MS;
    return isKnown ? at : undefined;
  }
  for (const [day, [changedAt, comparedAt]] of days) {
    if (!rows.has(day)) continue;
    const changed = changedAtOf(day, changedAt, comparedAt);
    if (changed !== undefined && isLast(day)) lags = counted(lags, 'settled', day, changed);
    if (changed === undefined || isLast(day)) days.delete(day);
    else days.set(day, [changed, at]);
  }
  const newest = [before.newest ?? [], ...rows.keys()].flat().sort().at(-1);
  if (newest !== undefined && newest !== before.newest && isNews(newest)) {
    lags = counted(lags, 'published', newest, at);
    if (!isLast(newest)) days.set(newest, [at, at]);
  }
  const fields = withSeen(before.fields ?? {}, seen);
  return { ...before, fields, newest, days: Object.fromEntries(days), lags };
}

/** The lags with that of another day. */
function counted(lags: DayLags | undefined, kind: LagKind, day: Day, changedAt: Instant): DayLags {
  const ms = Math.max(0, changedAt - endOf(day));
  const bound = LAG_BOUNDS.find((one) => ms <= one * 1000) ?? Number.POSITIVE_INFINITY;
  const [number, sum] = lags?.[`${kind} ${bound}`] ?? [0, 0];
  return { ...lags, [`${kind} ${bound}`]: [number + 1, sum + ms] };
}

/** Changes what was observed of a dataset, within the caller's transaction, and resolves with what it is now. */
export async function observe(
  query: Query,
  place: Place,
  change: (before: Observed) => Observed,
): Promise<Observed> {
  const [row] = await query(
    'SELECT data FROM S.observed WHERE org = $1 AND former = $2 AND dataset = $3',
    place,
  );
  const now = change(observedIn(row));
  const text = JSON.stringify(now);
  if (text !== row?.['data'])
    await query(
      `INSERT INTO S.observed (org, former, dataset, data) VALUES ($1, $2, $3, $4)
       ON CONFLICT (org, former, dataset) DO UPDATE SET data = excluded.data`,
      [...place, text],
    );
  return now;
}

/** Reads the counted lags of the current organization of a name, by dataset. */
export async function readLags(query: Query, org: string): Promise<ReadonlyMap<DatasetName, DayLags>> {
  const rows = await query("SELECT dataset, data FROM S.observed WHERE org = $1 AND former = ''", [org]);
  return new Map(rows.map((row) => [row['dataset'] as DatasetName, observedIn(row).lags ?? {}]));
}

/** A damaged text counts as none: it must not keep rows from being stored. */
function observedIn(row: Row | undefined): Observed {
  return (attempt(() => JSON.parse(String(row?.['data'] ?? '{}'))) as Observed | undefined) ?? {};
}
