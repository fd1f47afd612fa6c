import * as z from 'zod';
import type { DatasetName } from '../../catalog/dataset.ts';
import type { Day } from '../../catalog/day.ts';
import { type RowsAnswer, type RowsRequest, type Source, UnexpectedAnswer } from '../../catalog/source.ts';
import { placeOf, readOnce, sharedBy, statusOf } from '../shared.ts';
import { accountOf } from './account.ts';

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
    if (now - (answered.get(base) ?? Number.NEGATIVE_INFINITY) >= KNOWN_MS)
      await source.get({ ...request, path: `${base}-28-day/latest`, query: {} });
    answered.set(base, now);
    return undefined;
  }
}

/** How long an enterprise that has answered is taken for one that is there, in milliseconds. */
const KNOWN_MS = 10 * 60_000;

/** How many different rows of a report are kept: an organization has one, and a repeated attempt can find it revised. */
const MAX_TEXTS = 8;

/** A row as text; a number that is none would be null, which means that it was not sent. */
function textOf(row: unknown): string {
  try {
    return JSON.stringify(row, (_, value) => (value === Number.POSITIVE_INFINITY ? '1e999' : value));
  } catch {
    throw new UnexpectedAnswer('a row of fewer levels', row);
  }
}

/** The rows of a day's report of the organization as text, in which activity and productivity are; undefined if it is not there yet. */
export function sharedReport(source: Source, endpoint: DatasetName, day: Day) {
  const seen = new Set<string>();
  const rows = {
    start: () => new Set<string>(),
    add(texts: Set<string>, row: unknown): void {
      const text = textOf(row);
      if (seen.add(text).size > MAX_TEXTS) throw new UnexpectedAnswer('one row of an organization', [row]);
      texts.add(text);
    },
  };
  return readOnce(source, { endpoint, day }, async () => {
    const read = await readReport(source, { endpoint, day, rows });
    return read && [...new Set(read.sums.flatMap((texts) => [...texts]))];
  });
}
