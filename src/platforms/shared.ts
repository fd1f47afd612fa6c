import type { DatasetName } from '../catalog/dataset.ts';
import type { Day } from '../catalog/day.ts';
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
