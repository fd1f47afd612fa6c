import { type Day, dayMs, firstDay, formatDay, parseDay } from '../calendar.ts';
import { mix } from '../random.ts';
import type { Row } from '../types.ts';
import type { Org } from '../world/org.ts';
import { newestReport } from './calendar.ts';
import { usageItems } from './credits.ts';
import { createReports, seatedOn } from './reports.ts';
import { type Endpoint, notFound, type Refusal } from './rights.ts';
import { seat, seatOverview } from './seats.ts';

/** An organization as GitHub knows it, and the enterprise that consists of it. */
export interface Account {
  readonly org: Org;
  readonly login: string;
  readonly enterprise: string;
  readonly id: number;
}

/** A permitted request. */
export interface Call {
  readonly account: Account;
  readonly isEnterprise: boolean;
  readonly url: URL;
  readonly now: number;
  readonly today: Day;
  /** The oldest existing day. */
  readonly oldest: Day;
  /** Number of newest days without a report or credits yet. */
  readonly late: number;
}

/** No body is an answer without content. */
export type Result = Refusal | { readonly body?: Row; readonly headers?: Readonly<Record<string, string>> };

interface Route {
  readonly endpoint: Endpoint;
  readonly answer: (call: Call) => Result;
}

type Report = 'organization' | 'users' | 'teams';

/** Creates the answers of all paths, and the rows of the files that they link to. */
export function createAnswers(
  seed: number,
  accounts: readonly Account[],
  link: (path: string) => string,
  clock: () => Pick<Call, 'now' | 'today' | 'oldest'>,
) {
  const reports = new Map(accounts.map(({ org, login }) => [login, createReports(org)]));

  const bill: Route = { endpoint: 'credits', answer: answerBill };
  const seats: Route = { endpoint: 'seats', answer: listSeats };
  const routes = new Map<string, Route>([
    [
      'orgs/copilot/billing',
      { endpoint: 'seats', answer: ({ account, today }) => ({ body: seatOverview(account.org, today) }) },
    ],
    ['orgs/copilot/billing/seats', seats],
    ['enterprises/copilot/billing/seats', seats],
    ['organizations/settings/billing/ai_credit/usage', bill],
    ['enterprises/settings/billing/ai_credit/usage', bill],
  ]);
  for (const [kind, whole] of [
    ['orgs', 'organization'],
    ['enterprises', 'enterprise'],
  ] as const) {
    const base = `${kind}/copilot/metrics/reports`;
    for (const [name, endpoint] of [
      [whole, 'organization'],
      ['users', 'users'],
      ['user-teams', 'teams'],
    ] as const) {
      routes.set(`${base}/${name}-1-day`, { endpoint, answer: (call) => dailyReport(call, endpoint) });
      if (endpoint !== 'teams')
        routes.set(`${base}/${name}-28-day/latest`, {
          endpoint,
          answer: (call) => fourWeeks(call, endpoint),
        });
    }
  }
  return { routes, rowsOf };

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

  function isThere(
    { login }: Account,
    day: Day,
    { now, today, oldest }: Pick<Call, 'now' | 'today' | 'oldest'>,
  ) {
    const isInReach = day >= Math.max(firstDay, oldest, today - 365) && day <= newestReport(now);
    return isInReach && reports.get(login)?.isIdle(day) === false;
  }

  /** One to three parts, in no order; a single row is one. */
  function linksTo({ account, isEnterprise }: Call, report: Report, start: Day, end: Day): string[] {
    const count = report === 'organization' ? 1 : 1 + (mix(seed, end) % 3);
    const base = `/${account.login}/${isEnterprise ? 'enterprise' : 'org'}/${report}/${start}/${end}`;
    return Array.from({ length: count }, (_, index) => link(`${base}/${(index + 1) % count}/${count}`));
  }

  /** The rows of a file, made one by one; undefined if there is no such file. */
  function rowsOf(path: string): Iterable<Row> | undefined {
    const [, login = '', scope, report = '', ...numbers] = path.split('/');
    const account = accounts.find((one) => one.login === login);
    const source = reports.get(login);
    if (account === undefined || source === undefined) return undefined;
    const [start = 0, end = 0, part = 0, count = 1] = numbers.map(Number);
    const enterprise = { enterprise_id: String(account.id + 1) };
    const ids = scope === 'org' ? { organization_id: String(account.id), ...enterprise } : enterprise;
    const days = daysFrom(start, end).filter((day) => isThere(account, day, clock()));
    const range = { report_start_day: formatDay(start), report_end_day: formatDay(end) };
    if (report === 'organization') {
      const rows = days.map((day) => source.organization(day, ids));
      return start === end ? rows : [{ ...range, ...ids, day_totals: rows }];
    }
    return Iterator.from(days)
      .flatMap((day) => (report === 'users' ? source.users(day, ids) : source.teams(day, ids)))
      .map((row, index) => ({ row: start === end ? row : { ...row, ...range }, index }))
      .filter(({ index }) => index % count === part)
      .map(({ row }) => row);
  }
}

function answerBill({ account, isEnterprise, url, today, oldest, late }: Call): Result {
  const asked = Object.fromEntries(url.searchParams);
  const date = formatDay(today).split('-').map(Number);
  const { year = date[0] ?? 0, month, day } = asked;
  const isWholeYear = asked['year'] !== undefined && month === undefined && day === undefined;
  const timePeriod = {
    year: Number(year),
    ...(!isWholeYear && { month: Number(month ?? date[1]) }),
    ...(day !== undefined && { day: Number(day) }),
  };
  const days = daysIn(timePeriod);
  if (days === undefined) return { status: 400, message: 'Invalid year, month or day.' };
  const there = days.filter((one) => one >= Math.max(firstDay, oldest) && one < today - late);
  const { user, model, product } = asked;
  const filter = { ...(user && { user }), ...(model && { model }), ...(product && { product }) };
  const name = isEnterprise ? { enterprise: account.enterprise } : { organization: account.login };
  return { body: { timePeriod, ...name, ...filter, usageItems: usageItems(account.org, there, filter) } };
}

/** The days of a year, month or day; undefined if there is no such period. */
function daysIn({
  year,
  month,
  day,
}: {
  readonly year: number;
  readonly month?: number;
  readonly day?: number;
}) {
  const two = (number: number) => String(number).padStart(2, '0');
  const start = parseDay(`${year}-${two(month ?? 1)}-${two(day ?? 1)}`);
  if (typeof start !== 'number') return undefined;
  if (day !== undefined) return [start];
  return daysFrom(start, Date.UTC(year, month ?? 12, 1) / dayMs - 1);
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
