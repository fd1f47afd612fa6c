import { type Day, firstDay, formatDay, parseDay } from '../calendar.ts';
import { mix } from '../random.ts';
import type { Row } from '../types.ts';
import type { Org } from '../world/org.ts';
import type { Person } from '../world/people.ts';
import { newestReport } from './calendar.ts';
import { usageItems } from './credits.ts';
import { type Reports, seatedOn } from './reports.ts';
import { notFound, type Refusal } from './rights.ts';
import { seat, seatOverview } from './seats.ts';

/** An organization as GitHub knows it, and the enterprise that consists of it. */
export interface Account {
  readonly org: Org;
  readonly reports: Reports;
  readonly login: string;
  readonly enterprise: string;
  readonly id: number;
}

/** When something is asked. */
export interface Moment {
  readonly now: number;
  readonly today: Day;
  /** The oldest existing day. */
  readonly oldest: Day;
}

/** A permitted request. */
export interface Call extends Moment {
  readonly account: Account;
  readonly isEnterprise: boolean;
  readonly url: URL;
  /** Number of newest days without a report or credits yet. */
  readonly late: number;
  /** Signs a path of the files. */
  readonly link: (path: string) => string;
}

/** No body is an answer without content. */
export type Result = Refusal | { readonly body?: Row; readonly headers?: Readonly<Record<string, string>> };

type Report = 'organization' | 'users' | 'teams';

const people = { users: 'users', 'user-teams': 'teams' } as const;
const reportsOf: Readonly<Record<string, Readonly<Record<string, Report>>>> = {
  orgs: { organization: 'organization', ...people },
  enterprises: { enterprise: 'organization', ...people },
};

/** What answers a path, of which the name in the middle is left out; undefined if there is no such path. */
export function routeOf(kind: string, rest: string) {
  const [, name = '', span] = /^copilot\/metrics\/reports\/(.+)-(1-day|28-day\/latest)$/.exec(rest) ?? [];
  const report = reportsOf[kind]?.[name];
  if (report !== undefined && (report !== 'teams' || span === '1-day')) {
    const answer = span === '1-day' ? dailyReport : fourWeeks;
    return { endpoint: report, answer: (call: Call) => answer(call, report) };
  }
  if (rest === 'settings/billing/ai_credit/usage' && kind !== 'orgs')
    return { endpoint: 'credits', answer: answerBill } as const;
  if (rest === 'copilot/billing/seats' && kind !== 'organizations')
    return { endpoint: 'seats', answer: listSeats } as const;
  if (rest !== 'copilot/billing' || kind !== 'orgs') return undefined;
  return {
    endpoint: 'seats',
    answer: ({ account: { org }, today }: Call) => ({ body: seatOverview(org, today) }),
  } as const;
}

/** A day without a report has no content; only the form for enterprises does not know that answer. */
function dailyReport(call: Call, report: Report): Result {
  const day = parseDay(call.url.searchParams.get('day') ?? '');
  if (typeof day !== 'number') return { status: 422, message: 'Invalid request.' };
  if (day > newestReport(call.now) - call.late || !isThere(call.account, day, call))
    return call.isEnterprise ? notFound : {};
  return { body: { download_links: linksTo(call, report, day, day), report_day: formatDay(day) } };
}

function fourWeeks(call: Call, report: Report): Result {
  const end = newestReport(call.now) - call.late;
  const links = linksTo(call, report, end - 27, end);
  const days = { report_start_day: formatDay(end - 27), report_end_day: formatDay(end) };
  return end < firstDay ? notFound : { body: { download_links: links, ...days } };
}

function isThere({ reports }: Account, day: Day, { now, today, oldest }: Moment): boolean {
  const isInReach = day >= Math.max(firstDay, oldest, today - 365) && day <= newestReport(now);
  return isInReach && !reports.isIdle(day);
}

/** One to three parts, in no order; a single row is one. */
function linksTo({ account, isEnterprise, link }: Call, report: Report, start: Day, end: Day): string[] {
  const count = report === 'organization' ? 1 : 1 + (mix(account.id, end) % 3);
  const base = `/${account.login}/${isEnterprise ? 'enterprise' : 'org'}/${report}/${start}/${end}`;
  return Array.from({ length: count }, (_, index) => link(`${base}/${(index + 1) % count}/${count}`));
}

/** The rows of a file, made one by one. */
export function rowsOf(account: Account, path: string, moment: Moment): Iterable<Row> {
  const [, , scope, report = '', ...numbers] = path.split('/');
  const [start = 0, end = 0, part = 0, count = 1] = numbers.map(Number);
  const enterprise = { enterprise_id: String(account.id + 1) };
  const ids = scope === 'org' ? { organization_id: String(account.id), ...enterprise } : enterprise;
  const days = daysFrom(start, end).filter((day) => isThere(account, day, moment));
  const range = { report_start_day: formatDay(start), report_end_day: formatDay(end) };
  if (report === 'organization') {
    const rows = days.map((day) => account.reports.organization(day, ids));
    return start === end ? rows : [{ ...range, ...ids, day_totals: rows }];
  }
  const isAsked = ({ index }: Person) => index % count === part;
  const rows = account.reports[report === 'users' ? 'users' : 'teams'];
  return Iterator.from(days)
    .flatMap((day) => rows(day, ids, isAsked))
    .map((row) => (start === end ? row : { ...row, ...range }));
}

/** A year alone is a whole one; otherwise what is left out is that of today, but for the day. */
function answerBill({ account, isEnterprise, url, today, oldest, late }: Call): Result {
  const { year, month, day, user, model, product } = Object.fromEntries(url.searchParams);
  const [thisYear, thisMonth] = formatDay(today).split('-');
  const isWholeYear = year !== undefined && month === undefined && day === undefined;
  const parts = [year ?? thisYear, isWholeYear ? undefined : (month ?? thisMonth), day]
    .filter((part) => part !== undefined)
    .map((part) => part.padStart(2, '0'));
  const period = parts.join('-');
  if (typeof parseDay(`${period}${'-01-01'.slice(period.length - 4)}`) !== 'number')
    return { status: 400, message: 'Invalid year, month or day.' };
  const days = daysFrom(Math.max(firstDay, oldest), today - 1 - late);
  const asked = days.filter((one) => formatDay(one).startsWith(period));
  const items = usageItems(account.org, asked, { user, model, product });
  const timePeriod = { year: Number(parts[0]), month: numberOf(parts[1]), day: numberOf(parts[2]) };
  const name = isEnterprise ? { enterprise: account.enterprise } : { organization: account.login };
  return { body: { timePeriod, ...name, user, model, product, usageItems: items } };
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function daysFrom(start: Day, end: Day): Day[] {
  return Array.from({ length: Math.max(0, end - start + 1) }, (_, index) => start + index);
}

function listSeats({ account: { org }, url, today }: Call): Result {
  const asked = (name: string, otherwise: number) =>
    Math.max(1, Number(url.searchParams.get(name)) || otherwise);
  const [page, size] = [asked('page', 1), Math.min(100, asked('per_page', 50))];
  const all = seatedOn(org, today);
  const last = Math.max(1, Math.ceil(all.length / size));
  const target = (to: number) => `<${url.origin}${url.pathname}?per_page=${size}&page=${to}>`;
  const after = [`${target(page + 1)}; rel="next"`, `${target(last)}; rel="last"`];
  const before = [`${target(page - 1)}; rel="prev"`, `${target(1)}; rel="first"`];
  const links = [...(page > 1 ? before : []), ...(page < last ? after : [])];
  const shown = all.slice((page - 1) * size, page * size);
  const body = { total_seats: all.length, seats: shown.map((person) => seat(org, person, today)) };
  return { body, ...(links.length > 0 && { headers: { link: links.join(', ') } }) };
}
