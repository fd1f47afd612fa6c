import { type GivenDays, rangeUpTo } from '../backfill/range.ts';
import { addDays, type Day, dayOf, type Instant, yesterdayOf } from '../catalog/day.ts';
import { LATE_DAYS } from '../catalog/day-rules.ts';
import type { Contract } from '../catalog/settings.ts';
import { ConfigError } from '../text/errors.ts';
import { monthEndedBy, monthNamed } from './month.ts';

/** What is asked for: days, or a month and the file that it was written to. */
interface Given extends GivenDays {
  readonly month: string | undefined;
  readonly corrections: string | undefined;
}

/** The history and the organizations, as configured. */
interface Exported {
  readonly history: { readonly start: Day; readonly revisionWindow: number };
  readonly orgs: readonly { readonly contract?: Contract | undefined }[];
}

/**
 * The days to export, inclusive, and when they are closed if only closed ones are to be exported: by default everything that is
 * over. Throws a `ConfigError` if a month cannot be closed yet.
 */
export function rangeToExport(given: Given, { history, orgs }: Exported, now: Instant) {
  const { month, corrections } = given;
  const { start, revisionWindow } = history;
  if (month === undefined) {
    if (corrections !== undefined) {
      throw new ConfigError('--corrections needs --month, whose file it compares');
    }
    return rangeUpTo(yesterdayOf(now), given, start, 'is not over yet; the newest complete day is');
  }
  if (given.from !== undefined || given.to !== undefined) {
    throw new ConfigError('--month cannot be combined with --from and --to');
  }
  // A late row can come after the window, too.
  const lateAfterDays = Math.max(revisionWindow, LATE_DAYS + 1);
  const newest = addDays(dayOf(now), -lateAfterDays);
  const [starts, ...others] = new Set(orgs.map(({ contract }) => contract?.periodStarts ?? 1));
  if (others.length > 0) {
    throw new ConfigError(
      '--month: the organizations have different billing months',
      'write a file for each with --split, or choose organizations with the same orgs[].billing with --org',
    );
  }
  const { name, first, last } = monthNamed(month, starts) ?? monthEndedBy(newest, starts);
  if (first < start) {
    throw new ConfigError(
      `--month: ${name} begins before ${start}, the first day that is fetched`,
      'change --history.start, or give the days that there are with --from and --to',
    );
  }
  if (corrections !== undefined && last <= yesterdayOf(now))
    return { from: first, to: last, closedAfterDays: 0 };
  if (last > newest) {
    throw new ConfigError(
      `--month: ${name} may still change; it closes on ${addDays(last, lateAfterDays)}`,
      'for figures that are not final, give its days with --from and --to',
    );
  }
  return { from: first, to: last, closedAfterDays: lateAfterDays };
}
