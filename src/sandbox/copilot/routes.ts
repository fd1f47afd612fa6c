import { type Day, firstDay, formatDay, parseDay } from '../calendar.ts';
import { refuse } from '../http/refuse.ts';
import { mix } from '../random.ts';
import { type Call, type Endpoint, isThere, type Result } from './call.ts';
import { answerBill } from './credits.ts';
import { listSeats, seatOverview } from './seats.ts';

type Route = readonly [
  /** What the paths begin with, before the name of an organization or enterprise. */
  of: readonly string[],
  /** The rest of the paths. */
  path: string,
  endpoint: Endpoint,
  answer: (call: Call) => Result,
];

const REPORTS = 'copilot/metrics/reports';

export const routes: readonly Route[] = [
  [['orgs'], `${REPORTS}/organization-1-day`, 'organization', dailyReport],
  [['orgs'], `${REPORTS}/organization-28-day/latest`, 'organization', fourWeeks],
  [['enterprises'], `${REPORTS}/enterprise-1-day`, 'organization', dailyReport],
  [['enterprises'], `${REPORTS}/enterprise-28-day/latest`, 'organization', fourWeeks],
  [['orgs', 'enterprises'], `${REPORTS}/users-1-day`, 'users', dailyReport],
  [['orgs', 'enterprises'], `${REPORTS}/users-28-day/latest`, 'users', fourWeeks],
  [['orgs', 'enterprises'], `${REPORTS}/user-teams-1-day`, 'teams', dailyReport],
  [['orgs', 'enterprises'], 'copilot/billing/seats', 'seats', listSeats],
  [['orgs'], 'copilot/billing', 'seats', seatOverview],
  [['organizations', 'enterprises'], 'settings/billing/ai_credit/usage', 'credits', answerBill],
];

/** A day without a report has no content; only the form for enterprises does not know that answer. */
function dailyReport(call: Call) {
  const day = parseDay(call.url.searchParams.get('day') ?? '');
  if (typeof day !== 'number') return refuse(422, 'Invalid request.');
  if (isThere(call.account.org, day, call))
    return { body: { download_links: linksTo(call, day, day), report_day: formatDay(day) } };
  return call.isEnterprise ? refuse(404, 'Not Found') : {};
}

function fourWeeks(call: Call) {
  const end = call.newest;
  if (end < firstDay) refuse(404, 'Not Found');
  const days = { report_start_day: formatDay(end - 27), report_end_day: formatDay(end) };
  return { body: { download_links: linksTo(call, end - 27, end), ...days } };
}

/** One to three parts, in no order; a single row is one. */
function linksTo({ account, endpoint, isEnterprise, link }: Call, start: Day, end: Day): string[] {
  const count = endpoint === 'organization' ? 1 : 1 + (mix(account.id, end) % 3);
  const base = `/${account.account}/${isEnterprise ? 'enterprise' : 'org'}/${endpoint}/${start}/${end}`;
  return Array.from({ length: count }, (_, index) => link(`${base}/${(index + 1) % count}/${count}`));
}
