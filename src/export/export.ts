import { noteDay } from '../backfill/missing.ts';
import { stampsOf } from '../backfill/sample-times.ts';
import { dayDatasetOf } from '../catalog/collector.ts';
import { addDays, type Day, daysFrom, type Instant } from '../catalog/day.ts';
import {
  type AssessedOrg,
  assessDays,
  knowledgeOf,
  type PastDays,
  projectPage,
} from '../pipeline/past-days.ts';
import type { ExportedFigures, ExportFormat } from './format.ts';
import { createMonthFigures, type MonthFigures, monthOf } from './month.ts';
import type { RowSink } from './sink.ts';

interface ExportParts extends PastDays {
  readonly format: ExportFormat;
  readonly sink: RowSink;
  /** Adds up the days of a month; without it, each day has its own rows. */
  readonly sumOfMonth?: ((amounts: readonly number[]) => number) | undefined;
  /** How many days after a revision pass's newest day its figures cannot change any more; nothing is written of days that can. */
  readonly closedAfterDays?: number | undefined;
}

export interface ExportOutcome {
  readonly rows: number;
  /** The unknown days, by organization and collector (`acme/tokens`). */
  readonly unknown: ReadonlyMap<string, readonly Day[]>;
  /** The known days without a price that the format needs, by organization. */
  readonly omitted: ReadonlyMap<string, readonly Day[]>;
  /** If nothing was written because of unknown or open days: the known ones that may still change, by organization and collector. */
  readonly open?: ReadonlyMap<string, readonly Day[]>;
  readonly interrupted: boolean;
}

/**
 * Writes a range of days, oldest first: the figures that a backfill would write for each day, by the same projection, or those of each
 * month. Holds one organization's day or month in memory. Throws if the sink fails.
 */
export async function exportDays(parts: ExportParts): Promise<ExportOutcome> {
  const { pages, format, sink, progress, signal, sumOfMonth, closedAfterDays } = parts;
  const unknown = new Map<string, Day[]>();
  const omitted = new Map<string, Day[]>();
  const orgs = parts.orgs.map((org) => assessDays(pages, org));
  const days = daysFrom(parts.from, parts.to);
  const months = new Map<string, MonthFigures>();
  let rows = 0;

  if (closedAfterDays !== undefined) {
    const closing = openDays(parts, orgs, closedAfterDays);
    if (closing.unknown.size + closing.open.size > 0) {
      await sink.abandon();
      return { ...closing, rows, omitted, interrupted: false };
    }
  }

  async function writeDay(org: AssessedOrg, day: Day): Promise<void> {
    const { name } = org.settings;
    const { known = [], unknown: missing = [] } = Object.groupBy(parts.collectors, (collector) =>
      knowledgeOf(org, collector, day),
    );
    for (const collector of missing) noteDay(unknown, `${name}/${collector.name}`, day);
    const isLeftOut = known.length === 0 || (format.needsAll === true && missing.length > 0);
    if (isLeftOut && sumOfMonth === undefined) return;
    const families = await projectPage(org, known, [instantOf(day, pages.knownAt)]);
    const monthStarts = org.settings.contract?.periodStarts;
    const of = { org: name, orgId: org.history.orgId, first: day, day, monthStarts };
    if (sumOfMonth === undefined) return write({ ...of, period: day, families });
    const month = months.get(name) ?? createMonthFigures(parts.collectors, sumOfMonth, monthStarts);
    months.set(name, month);
    month.add(day, families, missing);
    if (day !== parts.to && day !== monthOf(day, monthStarts).last) return;
    months.delete(name);
    await write({ ...of, ...month.end() });
  }

  async function write(figures: ExportedFigures): Promise<void> {
    const lines = format.rowsOf(figures);
    if ('lacks' in lines) {
      if (lines.lacks === 'price') noteDay(omitted, figures.org, figures.day);
      else noteDay(unknown, `${figures.org}/${lines.lacks}`, figures.day);
      return;
    }
    for (const line of lines) {
      rows++;
      await sink.write(line);
    }
  }

  try {
    await sink.write(format.header);
    for (const [index, day] of days.entries()) {
      progress.show(index, days.length);
      for (const org of orgs) {
        signal.throwIfAborted();
        await writeDay(org, day);
      }
    }
    progress.show(days.length, days.length);
    await sink.finish();
  } catch (thrown) {
    await sink.abandon();
    if (!signal.aborted) throw thrown;
  } finally {
    progress.clear();
  }
  return { rows, unknown, omitted, interrupted: signal.aborted };
}

/**
 * The days that are unknown or may still change, by organization and collector: the next revision pass asks for them again, or a part of
 * their answer was unusable.
 */
function openDays(
  { collectors, from, to }: PastDays,
  orgs: readonly AssessedOrg[],
  closedAfterDays: number,
): Required<Pick<ExportOutcome, 'unknown' | 'open'>> {
  const unknown = new Map<string, Day[]>();
  const open = new Map<string, Day[]>();
  for (const org of orgs) {
    for (const collector of collectors) {
      const dataset = dayDatasetOf(collector)?.name;
      // Documents have no days that are asked for again.
      if (dataset === undefined) continue;
      const who = `${org.settings.name}/${collector.name}`;
      const { revisedOn = '' } = org.history.dataset(dataset);
      const stored = org.history.days(dataset);
      for (const day of daysFrom(from, to)) {
        const isOpen = addDays(day, closedAfterDays) > revisedOn || stored.isUnsettled(day);
        if (knowledgeOf(org, collector, day) === 'unknown') noteDay(unknown, who, day);
        else if (isOpen) noteDay(open, who, day);
      }
    }
  }
  return { unknown, open };
}

/** The instant of a day's backfilled sample; for the newest day, which may not have one yet, the present one. */
function instantOf(day: Day, now: Instant): Instant {
  const [stamp = now] = stampsOf(day, undefined, Number.POSITIVE_INFINITY);
  return Math.min(stamp, now);
}
