import { noteDay, spanOf } from '../backfill/missing.ts';
import { stampsOf } from '../backfill/sample-times.ts';
import { dayDatasetOf, filledOn } from '../catalog/collector.ts';
import { addDays, type Day, dayOf, daysFrom, earlier, type Instant, later } from '../catalog/day.ts';
import { dayRulesOf, revisedUntil } from '../catalog/day-rules.ts';
import { DEFAULT_PLATFORM } from '../catalog/settings.ts';
import {
  type AssessedOrg,
  assessDays,
  knowledgeOf,
  type PastDays,
  projectPage,
} from '../pipeline/past-days.ts';
import type { ExportedFigures, ExportFormat } from './format.ts';
import { MonthFigures, monthOf } from './month.ts';
import type { RowSink } from './sink.ts';

interface ExportParts extends PastDays {
  readonly format: ExportFormat;
  readonly sink: RowSink;
  /** Adds up the days of a month; without it, each day has its own rows. */
  readonly sumOfMonth?: ((amounts: readonly number[]) => number) | undefined;
  /** How many days after a revision pass's newest day its figures cannot change any more; nothing is written of days that can. */
  readonly closedAfterDays?: number | undefined;
}

interface Provisional {
  readonly rows: number;
  readonly until: Day;
}

export interface ExportOutcome {
  readonly rows: number;
  /** The unknown days, by organization and collector (`acme/tokens`). */
  readonly unknown: ReadonlyMap<string, readonly Day[]>;
  /** The known days without a price that the format needs, by organization. */
  readonly omitted: ReadonlyMap<string, readonly Day[]>;
  /** The rows that an organization's platform may still revise, and until when. */
  readonly provisional: ReadonlyMap<string, Provisional>;
  /** If nothing was written because of unknown or open days: the known ones that may still change, by organization and collector. */
  readonly open?: ReadonlyMap<string, readonly Day[]>;
  readonly interrupted: boolean;
}

/**
 * Writes a range of days, oldest first: the figures that a backfill would write for each day, by the same projection, or those of each
 * month. Holds one organization's day or month in memory. Throws if the sink fails.
 */
export async function exportDays(parts: ExportParts): Promise<ExportOutcome> {
  const { pages, sink, closedAfterDays } = parts;
  const orgs = parts.orgs.map((org) => assessDays(pages, org));
  if (closedAfterDays !== undefined) {
    const closing = openDays(parts, orgs, closedAfterDays);
    if (closing.unknown.size + closing.open.size > 0) {
      await sink.abandon();
      return { ...closing, rows: 0, omitted: new Map(), provisional: new Map(), interrupted: false };
    }
  }
  return new DaysExport(parts, orgs).run();
}

/** The export of a range of days, once. */
class DaysExport {
  readonly #parts: ExportParts;
  readonly #orgs: readonly AssessedOrg[];
  readonly #outcome = {
    rows: 0,
    unknown: new Map<string, Day[]>(),
    omitted: new Map<string, Day[]>(),
    provisional: new Map<string, Provisional>(),
  };
  /** The month under way of each organization. */
  readonly #months = new Map<string, MonthFigures>();

  constructor(parts: ExportParts, orgs: readonly AssessedOrg[]) {
    this.#parts = parts;
    this.#orgs = orgs;
  }

  async run(): Promise<ExportOutcome> {
    const { format, sink, progress, signal, from, to } = this.#parts;
    const days = daysFrom(from, to);
    try {
      await sink.write(format.header);
      for (const [index, day] of days.entries()) {
        progress.show(index, days.length);
        for (const org of this.#orgs) {
          signal.throwIfAborted();
          await this.#writeDay(org, day);
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
    return { ...this.#outcome, interrupted: signal.aborted };
  }

  async #writeDay(org: AssessedOrg, day: Day): Promise<void> {
    const { collectors, pages, format, sumOfMonth: sum, to } = this.#parts;
    const { name } = org.settings;
    const { known = [], unknown: missing = [] } = Object.groupBy(collectors, (collector) =>
      knowledgeOf(org, collector, day),
    );
    for (const collector of missing) noteDay(this.#outcome.unknown, `${name}/${collector.name}`, day);
    const isLeftOut = known.length === 0 || (format.needsAll === true && missing.length > 0);
    if (isLeftOut && sum === undefined) return;
    const families = await projectPage(org, known, [instantOf(day, pages.knownAt)]);
    const { contract, money, platform = DEFAULT_PLATFORM } = org.settings;
    const monthStarts = contract?.periodStarts;
    const place = { org: name, orgId: org.history.orgId, platform, money };
    const of = { ...place, first: day, day, monthStarts, revisedUntil: moneyRevisedUntil(org, day) };
    if (sum === undefined) return this.#write({ ...of, period: day, families });
    const month = this.#months.get(name) ?? new MonthFigures({ collectors, sum, starts: monthStarts });
    this.#months.set(name, month);
    month.add(day, families, missing);
    if (day !== to && day !== monthOf(day, monthStarts).last) return;
    this.#months.delete(name);
    await this.#write({ ...of, ...month.end() });
  }

  async #write(figures: ExportedFigures): Promise<void> {
    const lines = this.#parts.format.rowsOf(figures);
    if ('lacks' in lines) {
      if (lines.lacks === 'price') noteDay(this.#outcome.omitted, figures.org, figures.day);
      else noteDay(this.#outcome.unknown, `${figures.org}/${lines.lacks}`, figures.day);
      return;
    }
    for (const line of lines) {
      this.#outcome.rows++;
      this.#noteProvisional(figures);
      await this.#parts.sink.write(line);
    }
  }

  #noteProvisional({ org, revisedUntil: until }: ExportedFigures): void {
    if (until === undefined) return;
    const { provisional } = this.#outcome;
    const before = provisional.get(org) ?? { rows: 0, until };
    provisional.set(org, { rows: before.rows + 1, until: later(before.until, until) });
  }
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
    for (const collector of filledOn(collectors, org.settings)) {
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

/** Until when the platform may revise a day's money; undefined if that is over. */
function moneyRevisedUntil({ settings, history, pages }: AssessedOrg, day: Day): Day | undefined {
  const today = dayOf(pages.knownAt);
  const asked = earlier(history.dataset('tokens').revisedOn ?? today, today);
  return revisedUntil(day, asked, dayRulesOf(settings, 'tokens'));
}

/** The instant of a day's backfilled sample; for the newest day, which may not have one yet, the present one. */
function instantOf(day: Day, now: Instant): Instant {
  const [stamp = now] = stampsOf(day, undefined, Number.POSITIVE_INFINITY);
  return Math.min(stamp, now);
}

/**
 * Summarizes an export in a few lines; `missing` are those about what is missing, and `corrections` is the number of figures that
 * differ, if they were compared.
 */
export function describeExport(
  outcome: ExportOutcome,
  missing: readonly string[],
  range: string,
  corrections?: number,
): string {
  const count = corrections === undefined ? `${outcome.rows} rows` : `${corrections} corrections`;
  const lines = [`${count} of ${range}`, ...missing];
  for (const [org, { rows, until }] of outcome.provisional) {
    lines.push(`provisional: ${rows} rows of ${org}, which its platform may revise until ${until}`);
  }
  if (outcome.open !== undefined) {
    lines[0] = `nothing is written of ${range}: not all of its days are stored and final`;
    for (const [who, days] of outcome.open) lines.push(`may still change: ${who} on ${spanOf(days)}`);
    lines.push('serve stores and revises days; --storage.path=:memory: takes them from the platform instead');
  }
  if (outcome.interrupted) lines.push('interrupted; the output is incomplete');
  return `${lines.join('\n')}\n`;
}
