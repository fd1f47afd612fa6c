import { DAY } from '../e2e/harness.ts';
import { dayText } from './book.ts';
import { mainFields } from './figures.ts';
import { isNotYet, isRow, type Sent } from './wire.ts';

/** The required outcome of a run, derived from the traffic; undefined if it cannot be derived. */
type Outcome = 'success' | 'failure' | undefined;

/**
 * The required outcome of a run over days if everything failed for reasons of the requested days: the newest day decides,
 * regardless of older ones. It is requested again if the platform as a whole may fail.
 */
export function outcomeOfDays(collector: string, mine: readonly Sent[]): Outcome {
  if (!Object.hasOwn(mainFields, collector) || mine.length === 0) return undefined;
  const isLocal = ({ status, body, retryAfterMs }: Sent) =>
    (status === 200 && body !== undefined) ||
    ((status === 400 || status >= 500) && retryAfterMs === undefined);
  if (!mine.every(isLocal) || mine.some(isNotYet)) return undefined;
  const newest = mine.reduce((day, { to }) => (to > day ? to : day), '');
  const ofNewest = mine.filter(({ from, to }) => from === newest && to === newest);
  const last = ofNewest.findLast(({ grouped }) => !grouped);
  const lastGrouped = ofNewest.findLast(({ grouped }) => grouped);
  const isGood = [last, lastGrouped].every((one) => one === undefined || one.status === 200);
  return last !== undefined && isGood ? 'success' : 'failure';
}

/**
 * Whether the last listing of the newest day's people was incomplete. A day that the platform does not know yet has none:
 * the day before it is the newest, also where it is known and was not requested.
 */
export function isListingBroken(mine: readonly Sent[]): boolean {
  const listings = mine.filter(({ limit }) => limit === '100');
  const notYet = listings.filter(isNotYet).map(({ to }) => to);
  const requested = listings.map(({ to }) => to).reduce((day, to) => (to > day ? to : day), '');
  const newest = notYet.length === 0 ? requested : dayBefore(notYet.reduce((a, b) => (a < b ? a : b)));
  const ofNewest = listings.filter(({ status, to }) => status === 200 && to === newest);
  const listing = ofNewest.slice(
    Math.max(
      0,
      ofNewest.findLastIndex(({ cursor }) => cursor === ''),
    ),
  );
  // A page that was asked for again counts as it came last.
  const pages = [...new Map(listing.map((one) => [one.cursor, one])).values()];
  const last = pages.at(-1);
  return pages.some(isPageBroken) || (last !== undefined && pagingOf(last)['has_more'] === true);
}

function dayBefore(day: string): string {
  return dayText(Date.parse(day) - DAY);
}

function isPageBroken(sent: Sent): boolean {
  const { has_more: more, next_cursor: next } = pagingOf(sent);
  const data = isRow(sent.body) ? sent.body['data'] : undefined;
  if (!Array.isArray(data)) return true;
  const isOdd =
    !['boolean', 'undefined'].includes(typeof (more ?? undefined)) ||
    !['string', 'undefined'].includes(typeof (next ?? undefined));
  const isPerson = (row: unknown) =>
    isRow(row) && typeof row['user_id'] === 'string' && row['user_id'] !== '' && row['date'] === sent.from;
  return isOdd || !data.every(isPerson);
}

function pagingOf({ body }: Sent): Readonly<Record<string, unknown>> {
  const meta = isRow(body) ? body['meta'] : undefined;
  return isRow(meta) ? meta : {};
}
