import { daysFrom, formatDay } from '../calendar.ts';
import { hex, mix, textSeed } from '../random.ts';
import type { Row } from '../types.ts';
import type { Person } from '../world/people.ts';
import { type Account, type Dates, isThere } from './call.ts';
import { organizationRow, teamRows, userRows } from './reports.ts';

const LIFETIME_MS = 15 * 60_000;

/** The signed links of files; a link is good for 15 minutes. */
export function createLinks(seed: number, now: () => number) {
  const sign = (path: string, expiry: string) => hex(mix(seed ^ textSeed(path), textSeed(expiry)));
  return {
    /** The path with its signature. */
    signed(path: string): string {
      const expiry = new Date(now() + LIFETIME_MS).toISOString();
      return `${path}?se=${encodeURIComponent(expiry)}&sig=${sign(path, expiry)}`;
    },
    /** Whether an address has the signature of its path, and not for too long. */
    isGood({ pathname, searchParams }: URL): boolean {
      const expiry = searchParams.get('se') ?? '';
      return searchParams.get('sig') === sign(pathname, expiry) && now() < Date.parse(expiry);
    },
  };
}

/** The rows of a file, made one by one. */
export function fileRows({ org, id }: Account, path: string, dates: Dates): Iterable<Row> {
  const [, , scope, report, ...numbers] = path.split('/');
  const [start = 0, end = 0, part = 0, count = 1] = numbers.map(Number);
  const enterprise = { enterprise_id: String(id + 1) };
  const ids = scope === 'org' ? { organization_id: String(id), ...enterprise } : enterprise;
  const days = daysFrom(start, end).filter((day) => isThere(org, day, dates));
  const range = start === end ? {} : { report_start_day: formatDay(start), report_end_day: formatDay(end) };
  if (report === 'organization') {
    const rows = days.map((day) => organizationRow(org, day, ids));
    return start === end ? rows : [{ ...range, ...ids, day_totals: rows }];
  }
  const isAsked = ({ index }: Person) => index % count === part;
  const rowsOf = report === 'users' ? userRows : teamRows;
  return Iterator.from(days)
    .flatMap((day) => rowsOf(org, day, ids, isAsked))
    .map((row) => ({ ...row, ...range }));
}
