import { activityByClient, activityRow } from '../analytics/activity.ts';
import { productivityRow } from '../analytics/productivity.ts';
import { tokensByModel, tokensRow } from '../analytics/tokens.ts';
import { toolsByName, toolsRow } from '../analytics/tools.ts';
import { usersPage } from '../analytics/users.ts';
import { type Day, daysFrom, parseDay } from '../calendar.ts';
import type { AnalyticsEndpoint, Row } from '../types.ts';
import type { Org } from '../world/org.ts';
import { isLeftOut } from '../world/rhythm.ts';
import { badRequest, type Call, type DateRange, isRefusal, type JsonPieces, type Refusal } from './call.ts';
import { envelope } from './listings.ts';

/** The rows of an endpoint with one row per day. */
interface Daily {
  readonly plain: (org: Org, day: Day) => Row;
  readonly grouped?: { readonly by: string; readonly rows: (org: Org, day: Day) => Row[] };
}

const daily: Readonly<Record<Exclude<AnalyticsEndpoint, 'users'>, Daily>> = {
  tokens: { plain: tokensRow, grouped: { by: 'model', rows: tokensByModel } },
  tools: { plain: toolsRow, grouped: { by: 'tool_name', rows: toolsByName } },
  activity: { plain: activityRow, grouped: { by: 'client', rows: activityByClient } },
  productivity: { plain: productivityRow },
};

/** Answers an analytics request. */
export function answerAnalytics(endpoint: AnalyticsEndpoint, call: Call): JsonPieces | Refusal {
  const range = readDateRange(call.query, call.today);
  if (isRefusal(range)) return range;
  const days = existingDays(call, range);
  if (endpoint === 'users') return answerUsers(call, range, days);
  const { org } = call;
  const { plain, grouped } = daily[endpoint];
  const groupBy = call.query.get('group_by');
  // An endpoint without grouping ignores the parameter.
  if (groupBy === null || grouped === undefined) {
    const shown = days.values().filter((day) => org.totals(day).active > 0 || !isLeftOut(org, day));
    return envelope(
      shown.map((day) => [plain(org, day)]),
      call,
      range,
    );
  }
  if (groupBy !== grouped.by) return badRequest(`Invalid group_by: expected "${grouped.by}"`);
  return envelope(
    days.values().map((day) => grouped.rows(org, day)),
    call,
    range,
  );
}

/** The days of the range that have data; before the first and after the newest there are no rows. */
function existingDays(call: Call, { start, end }: DateRange): Day[] {
  return daysFrom(Math.max(start, call.oldest), Math.min(end, call.today - 1 - call.late));
}

/** Answers `/users`: `limit` counts users, the cursor is a user id, rows are per user per day. */
function answerUsers(call: Call, range: DateRange, days: readonly Day[]): JsonPieces | Refusal {
  const text = call.query.get('limit') ?? '20';
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 100) return badRequest('limit must be a number between 1 and 100');
  const { rows, next } = usersPage(call.org, days, call.query.get('cursor') ?? '', limit);
  const more = next === undefined ? { has_more: false } : { has_more: true, next_cursor: next };
  return envelope([rows], call, range, more);
}

/** Reads and validates `startDate` and `endDate`. */
function readDateRange(query: URLSearchParams, today: Day): DateRange | Refusal {
  const start = readDate(query, 'startDate');
  if (typeof start !== 'number') return start;
  const end = readDate(query, 'endDate');
  if (typeof end !== 'number') return end;
  if (start > end) return badRequest('startDate must not be after endDate');
  if (end >= today) return badRequest("Cannot query today's date - analytics data has a 24-hour lag");
  return { start, end };
}

function readDate(query: URLSearchParams, name: string): Day | Refusal {
  const text = query.get(name);
  if (text === null || text === '') return badRequest(`${name} is required`);
  const day = parseDay(text);
  if (day === 'format') return badRequest(`Invalid ${name}: expected format YYYY-MM-DD`);
  if (day === 'calendar') return badRequest(`Invalid ${name}: no such calendar date`);
  return day;
}
