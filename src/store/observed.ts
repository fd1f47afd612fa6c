import { type KnownFields, withSeen } from '../catalog/api-contract.ts';
import type { DatasetName } from '../catalog/dataset.ts';
import { addDays, type Day, dayOf, endOf, type Instant, yesterdayOf } from '../catalog/day.ts';
import { type DayLags, LAG_BOUNDS, type LagKind } from '../catalog/day-lag.ts';
import { attempt } from '../text/errors.ts';
import type { Query, Row } from './database.ts';
import type { Place } from './statements.ts';
import type { AnsweredDays, LagNotes } from './store.ts';

/** The longest time between two daily comparisons of an older day, in milliseconds; leaves time for a failed run. */
const DAILY_MS = 26 * 3_600_000;
/** How many days after its last comparison a day is forgotten if no answer contained it. */
const AWAITED_DAYS = 14;

/** What the answers of a dataset have shown besides their rows: fields, and when days appeared and changed. A plain value. */
interface Observed {
  readonly fields?: KnownFields;
  /** The newest day that had a row. */
  readonly newest?: Day | undefined;
  /** The days whose changes are followed: when the row last changed, and when it was last compared. */
  readonly days?: Readonly<Record<string, readonly [changedAt: Instant, comparedAt: Instant]>>;
  readonly lags?: DayLags | undefined;
}

/** Follows the fields of an answer, and with notes on lags its days, whose lags are counted. */
export function withAnswer(
  before: Observed,
  { rows, at, seen }: Pick<AnsweredDays, 'rows' | 'at' | 'seen'>,
  notes: LagNotes | undefined,
  revised: ReadonlySet<Day>,
): Observed {
  const followed = notes === undefined ? before : withDays(before, { rows, at }, notes, revised);
  return seen === undefined ? followed : { ...followed, fields: withSeen(before.fields ?? {}, seen) };
}

function withDays(
  before: Observed,
  { rows, at }: Pick<AnsweredDays, 'rows' | 'at'>,
  { isNews, isNextPoll, comparedDays }: LagNotes,
  revised: ReadonlySet<Day>,
): Observed {
  const isLast = (day: Day) => dayOf(at) >= addDays(day, comparedDays);
  const compared = Object.entries(before.days ?? {}) as [Day, readonly [Instant, Instant]][];
  const days = new Map(compared.filter(([day]) => !isLast(addDays(day, AWAITED_DAYS))));
  let { lags } = before;
  /** The time of the last change of a row; undefined if nobody was looking at that time. */
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
  return { ...before, newest, days: Object.fromEntries(days), lags };
}

/** The lags, with the lag of one more day counted. */
function counted(lags: DayLags | undefined, kind: LagKind, day: Day, changedAt: Instant): DayLags {
  const ms = Math.max(0, changedAt - endOf(day));
  const bound = LAG_BOUNDS.find((one) => ms <= one * 1000) ?? Number.POSITIVE_INFINITY;
  const [number, sum] = lags?.[`${kind} ${bound}`] ?? [0, 0];
  return { ...lags, [`${kind} ${bound}`]: [number + 1, sum + ms] };
}

/** Changes the stored observations of a dataset, within the caller's transaction; resolves with the new ones. */
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

/** The stored observations. A damaged text counts as none, so that rows can still be stored. */
function observedIn(row: Row | undefined): Observed {
  return (attempt(() => JSON.parse(String(row?.['data'] ?? '{}'))) as Observed | undefined) ?? {};
}
