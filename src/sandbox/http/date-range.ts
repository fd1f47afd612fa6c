import { type Day, parseDay } from '../calendar.ts';
import { badRequest, type Refusal } from './call.ts';

export interface DateRange {
  readonly start: Day;
  readonly end: Day;
}

/** Reads `startDate` and `endDate` by the rules of sections 4.2, 7.1 and 8. */
export function readDateRange(query: URLSearchParams, today: Day): DateRange | Refusal {
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
