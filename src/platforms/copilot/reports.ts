import * as z from 'zod';
import type { DatasetName } from '../../catalog/dataset.ts';
import { addDays, type Day, later } from '../../catalog/day.ts';
import { type RowsAnswer, type RowsRequest, type Source, UnexpectedAnswer } from '../../catalog/source.ts';
import { placeOf, readOnce, sharedBy, statusOf } from '../shared.ts';
import { accountOf } from './account.ts';

const links = z.object({ download_links: z.array(z.string()), report_day: z.string().optional() });
const fourWeeks = z.object({ day_totals: z.array(z.looseObject({ day: z.string() })) });

/** Takes the rows of a report. */
type Rows<Sum> = Pick<RowsRequest<Sum>, 'start' | 'add'>;

/** The paths of a report, without how many days it is about. */
function pathOf(source: Source, endpoint: DatasetName): string {
  const { isEnterprise, path } = accountOf(source);
  const subject = isEnterprise ? 'enterprise' : 'organization';
  return `${path}/copilot/metrics/reports/${endpoint === 'users' ? 'users' : subject}`;
}

/** Reads the rows behind the links of a day's report; undefined if it is not there yet. */
export async function readReport<Sum>(
  source: Source,
  { endpoint, day, rows }: { endpoint: DatasetName; day: Day; rows: Rows<Sum> },
): Promise<RowsAnswer<Sum> | undefined> {
  const base = pathOf(source, endpoint);
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
    if (!accountOf(source).isEnterprise || statusOf(thrown) !== 404) throw thrown;
    // Of an enterprise, a day that is not there is refused like an account that is not there: another report tells them apart.
    const answered = sharedBy(source, 'answered', () => new Map<string, number>());
    const now = placeOf(source).elapsed();
    if (now - (answered.get(base) ?? Number.NEGATIVE_INFINITY) >= KNOWN_MS)
      await source.get({ ...request, path: `${base}-28-day/latest`, query: {} });
    answered.set(base, now);
    return undefined;
  }
}

/** How long an enterprise that has answered is taken for one that is there, and four weeks for the last ones, in milliseconds. */
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

/** The newest day that was asked for, this one included: a run begins with yesterday. */
export function newestAsked(source: Source, day: Day): Day {
  const asked = sharedBy(source, 'asked', () => ({ newest: day }));
  asked.newest = later(asked.newest, day);
  return asked.newest;
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
  const newest = newestAsked(source, day);
  const isInFourWeeks = day <= addDays(newest, -REVISED_DAYS) && day >= addDays(newest, -OLDEST);
  return readOnce(source, { endpoint, day }, async () => {
    const known = isInFourWeeks ? (await lastFourWeeks(source, endpoint)).get(day) : undefined;
    if (known !== undefined) return [...new Set(known.map(({ text }) => text))];
    const read = await readReport(source, { endpoint, day, rows });
    return read && [...new Set(read.sums.flatMap((texts) => [...texts]))];
  });
}

/** Days before the newest one that are asked for one by one, because they change, and how far back four weeks may go. */
const REVISED_DAYS = 5;
const OLDEST = 30;
/** The length of all rows of four weeks: a row of every day in it is at most as long as a line. */
const MAX_LENGTH = MAX_TEXTS * 2 ** 20;

/** A row as text. */
interface DayText {
  readonly day: string;
  readonly text: string;
}

type TextsByDay = ReadonlyMap<string, readonly DayText[]>;

/**
 * The rows of the last four weeks, by day: they cost as many requests as a single day, and a first sync needs them all. Days that
 * the report lacks, or all if it cannot be read, are asked for one by one, and those answers say why.
 */
function lastFourWeeks(source: Source, endpoint: DatasetName): Promise<TextsByDay> {
  const nothing: Promise<TextsByDay> = Promise.resolve(new Map());
  const known = sharedBy(source, 'four weeks', () => ({ at: Number.NEGATIVE_INFINITY, days: nothing }));
  const now = placeOf(source).elapsed();
  if (now - known.at < KNOWN_MS) return known.days;
  known.at = now;
  known.days = readFourWeeks(source, endpoint).catch(() => nothing);
  return known.days;
}

async function readFourWeeks(source: Source, endpoint: DatasetName): Promise<TextsByDay> {
  let length = 0;
  const answer = await source.lines({
    ...{ endpoint, host: 'api', path: `${pathOf(source, endpoint)}-28-day/latest`, query: {} },
    ...{ mayBeUnready: true, mayBeEmpty: true },
    linksOf: (body) => links.parse(body).download_links,
    start: (): DayText[] => [],
    add(rows, sent) {
      for (const row of fourWeeks.parse(sent).day_totals) {
        const text = textOf(row);
        length += text.length;
        if (length > MAX_LENGTH) throw new UnexpectedAnswer('days of four weeks', sent);
        rows.push({ day: row.day, text });
      }
    },
  });
  return Map.groupBy(answer?.sums.flat() ?? [], ({ day }) => day);
}
