import { type UsersPage, usersPage } from '../analytics/users.ts';
import type { Day } from '../calendar.ts';
import { worsened } from '../faults/damage.ts';
import { oddPaging } from '../faults/odd-paging.ts';
import type { Row } from '../types.ts';
import { badRequest, type Call, type JsonPieces, type Refusal } from './call.ts';
import type { DateRange } from './date-range.ts';
import { envelope } from './pieces.ts';

/** Answers `/users`: `limit` counts users, the cursor is a user id, rows are per user per day. */
export function answerUsers(call: Call, range: DateRange, days: readonly Day[]): JsonPieces | Refusal {
  const limit = readLimit(call);
  if (limit === undefined) return badRequest('limit must be a number between 1 and 100');
  const cursor = call.query.get('cursor') ?? '';
  const page = usersPage(call.tenant.org, days, cursor, limit);
  const isAgain = cursor === '' && days.map((day) => call.sentBefore(`users ${day}`)).includes(true);
  const rows =
    isAgain && call.faults.strikes('worse-again') !== undefined ? page.rows.map(worsened) : page.rows;
  const odd = call.faults.strikes('odd-paging');
  const more = paging(call, page, cursor);
  return envelope([rows], call, range, odd === undefined ? more : oddPaging(more, odd.detail));
}

function readLimit({ query, faults }: Call): number | undefined {
  const text = query.get('limit') ?? '20';
  const asked = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (asked < 1 || asked > 100) return undefined;
  if (faults.strikes('ignore-limit') !== undefined) return Number.POSITIVE_INFINITY;
  return Math.min(asked, Number(faults.strikes('limit-cap')?.detail ?? asked));
}

function paging({ faults }: Call, { next }: UsersPage, cursor: string): Row {
  if (faults.strikes('repeated-cursor') !== undefined) return { has_more: true, next_cursor: cursor || next };
  if (next !== undefined) return { has_more: true, next_cursor: next };
  return faults.strikes('null-cursor') === undefined
    ? { has_more: false }
    : { has_more: false, next_cursor: null };
}
