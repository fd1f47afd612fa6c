import * as z from 'zod';
import type { DatasetName } from '../../catalog/dataset.ts';
import type { Day } from '../../catalog/day.ts';
import { isObject } from '../../catalog/object.ts';
import { type RowsAnswer, type RowsRequest, type Source, UnexpectedAnswer } from '../../catalog/source.ts';
import { accountOf, placeOf, sharedBy } from './account.ts';

const links = z.object({ download_links: z.array(z.string()), report_day: z.string() });

/** Takes the rows of a report. */
type Rows<Sum> = Pick<RowsRequest<Sum>, 'start' | 'add'>;

/** Reads the rows behind the links of a day's report; undefined if it is not there yet. */
export async function readReport<Sum>(
  source: Source,
  { endpoint, day, rows }: { endpoint: DatasetName; day: Day; rows: Rows<Sum> },
): Promise<RowsAnswer<Sum> | undefined> {
  const { isEnterprise, path } = accountOf(source);
  const subject = isEnterprise ? 'enterprise' : 'organization';
  const base = `${path}/copilot/metrics/reports/${endpoint === 'users' ? 'users' : subject}`;
  const request = { endpoint, host: 'api', path: `${base}-1-day`, query: { day } } as const;
  let hasLinks = false;
  function linksOf(body: unknown): readonly string[] {
    const { data } = links.safeParse(body);
    if (data?.report_day !== day) throw new UnexpectedAnswer('links to the report of the day', body);
    hasLinks = data.download_links.length > 0;
    return data.download_links;
  }
  try {
    const answer = await source.lines({ ...request, mayBeUnready: true, mayBeEmpty: true, linksOf, ...rows });
    return hasLinks ? answer : undefined;
  } catch (thrown) {
    if (!isEnterprise || statusOf(thrown) !== 404) throw thrown;
    // Of an enterprise, a day that is not there is refused like an account that is not there: another report tells them apart.
    const answered = sharedBy(source, 'answered', () => new Map<string, number>());
    const now = placeOf(source).elapsed();
    if (now - (answered.get(base) ?? Number.NEGATIVE_INFINITY) >= SHARED_MS)
      await source.get({ ...request, path: `${base}-28-day/latest`, query: {} });
    answered.set(base, now);
    return undefined;
  }
}

/** The status of a refused request. */
export function statusOf(thrown: unknown): unknown {
  return isObject(thrown) || thrown instanceof Error ? Reflect.get(thrown, 'status') : undefined;
}

/** How long a report that one dataset asked for is there for another one, and of how many days. */
const SHARED_MS = 10 * 60_000;
const SHARED_DAYS = 16;

interface Asked {
  readonly by: DatasetName;
  readonly at: number;
  readonly report: Promise<readonly string[] | undefined>;
}

/**
 * The rows of a day's report of the organization as text; undefined if it is not there yet. Activity and productivity are in
 * the same report: whichever asks second within some minutes takes what the first one got.
 */
export async function sharedReport(source: Source, endpoint: DatasetName, day: Day) {
  const reports = sharedBy(source, 'reports', () => new Map<Day, Asked>());
  const now = placeOf(source).elapsed();
  const known = reports.get(day);
  reports.delete(day);
  if (known !== undefined && known.by !== endpoint && now - known.at < SHARED_MS) {
    const report = await known.report.catch(() => 'failed' as const);
    if (report !== 'failed') return report;
  }
  const rows = {
    start: (): string[] => [],
    add: (texts: string[], row: unknown) => void texts.push(JSON.stringify(row)),
  };
  const report = readReport(source, { endpoint, day, rows }).then((read) => read?.sums.flat());
  // Whoever takes it second hears of a failure, too.
  report.catch(() => undefined);
  reports.set(day, { by: endpoint, at: now, report });
  const [oldest] = reports.keys();
  if (oldest !== undefined && reports.size > SHARED_DAYS) reports.delete(oldest);
  return report;
}
