import type { Window } from '../catalog/collector.ts';
import type { DatasetName } from '../catalog/dataset.ts';
import { type Day, daysFrom } from '../catalog/day.ts';
import { isObject } from '../catalog/object.ts';
import type { Place, Source } from '../catalog/source.ts';

/** Where an organization is on its platform; a client always knows it. */
export function placeOf({ place }: Source): Place {
  if (place === undefined) throw new Error('the source does not say whose figures it is asked for');
  return place;
}

/** What readers remember together, as long as the connection lasts. */
export function sharedBy<Shared>(source: Source, name: string, create: () => Shared): Shared {
  const { shared } = placeOf(source);
  const known = shared.get(name) as Shared | undefined;
  if (known !== undefined) return known;
  const made = create();
  shared.set(name, made);
  return made;
}

/** What was read of one day; without a row, there is none. */
interface ReadDay<Row> {
  readonly row?: Row | undefined;
  readonly isUnready?: boolean;
  readonly rejected?: number;
  readonly lost?: number;
  readonly bytes?: number;
}

/** Reads the days of a window one by one, newest first. */
export async function readDays<Row>({ from, to }: Window, read: (day: Day) => Promise<ReadDay<Row>>) {
  const days = {
    rows: new Map<Day, Row>(),
    unready: new Set<Day>(),
    rejected: 0,
    lost: 0,
    bytes: 0,
    remarks: [],
  };
  for (const day of daysFrom(from, to).toReversed()) {
    const { row, isUnready = false, rejected = 0, lost = 0, bytes = 0 } = await read(day);
    if (row !== undefined) days.rows.set(day, row);
    if (isUnready) days.unready.add(day);
    days.rejected += rejected;
    days.lost += lost;
    days.bytes += bytes;
  }
  return days;
}

/** The status of a refused request. */
export function statusOf(thrown: unknown): unknown {
  return isObject(thrown) || thrown instanceof Error ? Reflect.get(thrown, 'status') : undefined;
}

/** How long a report that one dataset asked for is there for another one, in milliseconds, and of how many days. */
const SHARED_MS = 10 * 60_000;
const SHARED_DAYS = 16;

interface Asked<Report> {
  readonly by: DatasetName;
  readonly at: number;
  readonly report: Promise<Report>;
}

/** A day's report that several datasets need: whichever asks second within some minutes takes what the first one got. */
export async function readOnce<Report>(
  source: Source,
  { endpoint, day }: { readonly endpoint: DatasetName; readonly day: Day },
  read: () => Promise<Report>,
): Promise<Report> {
  const reports = sharedBy(source, 'reports', () => new Map<Day, Asked<Report>>());
  const now = placeOf(source).elapsed();
  const known = reports.get(day);
  reports.delete(day);
  if (known !== undefined && known.by !== endpoint && now - known.at < SHARED_MS) {
    const report = await known.report.catch(() => 'failed' as const);
    if (report !== 'failed') return report;
  }
  const report = read();
  // Whoever takes it second hears of a failure, too.
  report.catch(() => undefined);
  reports.set(day, { by: endpoint, at: now, report });
  const [oldest] = reports.keys();
  if (oldest !== undefined && reports.size > SHARED_DAYS) reports.delete(oldest);
  return report;
}
