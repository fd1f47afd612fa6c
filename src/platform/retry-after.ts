const LONGEST_MS = 24 * 3_600_000;

/**
 * Reads a `Retry-After` header, seconds or an HTTP date, as milliseconds from `now` (milliseconds since the
 * epoch); undefined where it is missing or unreadable. At most a day, so that a slip of the server's cannot
 * silence an organization for years.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return bounded(Math.ceil(Number(text) * 1000));
  // Every form of an HTTP date begins with the name of a day; Date.parse alone takes far more for a date.
  if (!/^(mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return undefined;
  // The asctime form names no zone and means UTC.
  const at = Date.parse(/gmt|utc|[+-]\d{4}$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : bounded(at - now);
}

function bounded(ms: number): number {
  return Math.min(Math.max(ms, 0), LONGEST_MS);
}
