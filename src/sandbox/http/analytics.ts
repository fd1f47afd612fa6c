import { activityByClient, activityRow } from '../analytics/activity.ts';
import { productivityRow } from '../analytics/productivity.ts';
import { tokensByModel, tokensRow } from '../analytics/tokens.ts';
import { toolsByName, toolsRow } from '../analytics/tools.ts';
import type { Day } from '../calendar.ts';
import { worsened } from '../faults/damage.ts';
import type { AnalyticsEndpoint, Row } from '../types.ts';
import { isLeftOut } from '../world/rhythm.ts';
import { badRequest, type Call, isRefusal, type JsonPieces, type Refusal } from './call.ts';
import { type DateRange, readDateRange } from './date-range.ts';
import { envelope } from './pieces.ts';
import { answerUsers } from './users.ts';

/** How an endpoint that has one row per day makes its rows. */
interface Daily {
  readonly plain: (call: Call, day: Day) => Row;
  readonly grouped?: { readonly by: string; readonly rows: (call: Call, day: Day) => Row[] };
}

const daily: Readonly<Record<Exclude<AnalyticsEndpoint, 'users'>, Daily>> = {
  tokens: {
    plain: ({ tenant, faults }, day) =>
      tokensRow(tenant.org, day, faults.strikes('no-by-model') === undefined),
    grouped: { by: 'model', rows: ({ tenant }, day) => tokensByModel(tenant.org, day) },
  },
  tools: {
    plain: ({ tenant }, day) => toolsRow(tenant.org, day),
    grouped: { by: 'tool_name', rows: ({ tenant }, day) => toolsByName(tenant.org, day) },
  },
  activity: {
    plain: ({ tenant }, day) => activityRow(tenant.org, day),
    grouped: { by: 'client', rows: ({ tenant }, day) => activityByClient(tenant.org, day) },
  },
  productivity: { plain: ({ tenant }, day) => productivityRow(tenant.org, day) },
};

/** Answers an analytics request (section 4.2). */
export function answerAnalytics(endpoint: AnalyticsEndpoint, call: Call): JsonPieces | Refusal {
  const range = readDateRange(call.query, call.today);
  if (isRefusal(range)) return range;
  const days = existingDays(call, range);
  if (endpoint === 'users') return answerUsers(call, range, days);
  const { plain, grouped } = daily[endpoint];
  const groupBy = call.query.get('group_by');
  // An endpoint without grouping does not know the parameter at all.
  if (groupBy === null || grouped === undefined) {
    return envelope(plainDays(call, endpoint, days, plain), call, range);
  }
  if (groupBy !== grouped.by) return badRequest(`Invalid group_by: expected "${grouped.by}"`);
  return envelope(groupedDays(call, days, grouped.rows), call, range);
}

/** The days of the range that have data; before the first and after the newest there are simply no rows. */
function existingDays(call: Call, { start, end }: DateRange): Day[] {
  const missing =
    call.faults.strikes('missing-yesterday') === undefined
      ? Number(call.faults.strikes('late')?.detail ?? 0)
      : 1;
  const first = Math.max(start, call.oldest);
  const last = Math.min(end, call.today - 1 - missing);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

function* plainDays(
  call: Call,
  endpoint: AnalyticsEndpoint,
  days: readonly Day[],
  row: Daily['plain'],
): Generator<Row[]> {
  const { org } = call.tenant;
  const isWorse = call.faults.strikes('worse-again') !== undefined;
  for (const day of days) {
    if (org.totals(day).active === 0 && isLeftOut(org, day)) continue;
    const sent = row(call, day);
    yield [call.sentBefore(`${endpoint} ${day}`) && isWorse ? worsened(sent) : sent];
  }
}

function* groupedDays(
  call: Call,
  days: readonly Day[],
  rows: (call: Call, day: Day) => Row[],
): Generator<Row[]> {
  for (const day of days) yield rows(call, day);
}
