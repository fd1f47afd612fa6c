/** A slip of the server's must not silence an organization for long: after this, one request asks again. */
const MAX_PAUSE_MS = 3_600_000;

/**
 * Reads a `Retry-After` header, seconds or an HTTP date, in milliseconds, at most an hour; undefined where it is
 * missing or unreadable. A date is relative to `now` (milliseconds since the epoch), which should be the server's own
 * time.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return bounded(Math.ceil(Number(text) * 1000));
  const at = parseHttpDate(text);
  return at === undefined ? undefined : bounded(at - now);
}

function bounded(ms: number): number {
  return Math.min(Math.max(ms, 0), MAX_PAUSE_MS);
}

/** Reads an HTTP date in any of its three forms as milliseconds since the epoch; undefined where it is none. */
export function parseHttpDate(text: string | undefined): number | undefined {
  // Every form of an HTTP date begins with the name of a day; Date.parse alone takes far more for a date.
  if (text === undefined || !/^(mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return undefined;
  // The asctime form names no zone and means UTC.
  const at = Date.parse(/gmt|utc|[+-]\d{4}$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : at;
}
