import type { Day } from '../catalog/day.ts';
import {
  type AssessedOrg,
  assessDays,
  knowledgeOf,
  type PastDays,
  projectPage,
  recordedOf,
} from '../pipeline/past-days.ts';
import { noteDay } from './missing.ts';
import { stampsOf } from './sample-times.ts';
import { type BackfillTarget, type Month, monthsOf } from './target.ts';

interface BackfillParts extends PastDays {
  /** Interval of additional samples besides the last one of each day, in milliseconds. */
  readonly stepMs: number | undefined;
  readonly target: BackfillTarget;
}

interface BackfillOutcome {
  readonly samples: number;
  /** The unknown days, by organization and collector (`acme/tokens`). */
  readonly unknown: ReadonlyMap<string, readonly Day[]>;
  readonly interrupted: boolean;
}

/**
 * Writes a range of past days to a target, day by day: what `/metrics` showed while each day was the newest one. Throws
 * if the target fails; what was written before is remembered.
 */
export async function backfill(parts: BackfillParts): Promise<BackfillOutcome> {
  const { target, progress, signal } = parts;
  const months = monthsOf(parts.from, parts.to);
  const total = months.reduce((sum, { days }) => sum + days.length, 0);
  const unknown = new Map<string, Day[]>();
  const orgs = parts.orgs.map((org) => assessDays(parts.pages, org));
  let done = 0;
  progress.show(done, total);

  async function stretch({ days }: Month): Promise<void> {
    let complete = true;
    for (const day of days) {
      signal.throwIfAborted();
      for (const org of orgs) {
        for (const collector of await bringDay(parts, org, day)) {
          complete = false;
          noteDay(unknown, `${org.settings.name}/${collector}`, day);
        }
      }
      progress.show(++done, total);
      // Answers and finished writes are handled between two days.
      await parts.pages.clock.slices.next();
    }
    await target.end(complete);
  }

  try {
    for (const month of target.stretches(months)) {
      if (await target.begin(month)) await stretch(month);
      else done += month.days.length;
    }
    await target.finish();
  } catch (thrown) {
    await target.abandon(signal.aborted);
    if (!signal.aborted) throw thrown;
  } finally {
    progress.clear();
  }
  return { samples: target.samples, unknown, interrupted: signal.aborted };
}

/** Writes what the target lacks of a day; resolves with the collectors whose day is unknown. */
async function bringDay(parts: BackfillParts, org: AssessedOrg, day: Day): Promise<readonly string[]> {
  const { target } = parts;
  const stamps = stampsOf(day, parts.stepMs, parts.pages.knownAt);
  const { known = [], unknown = [] } = Object.groupBy(parts.collectors, (collector) =>
    knowledgeOf(org, collector, day),
  );
  const byMissing = Map.groupBy(known, ({ name: collector }) =>
    target.missing({ org: org.settings.name, collector, day }, stamps).join(),
  );
  for (const [missing, collectors] of byMissing) {
    if (missing === '') continue;
    const at = missing.split(',').map(Number);
    const page = await projectPage(org, collectors, at);
    await target.add(org.settings.name, [...page, ...recordedOf(page)]);
    const subjects = collectors.map(({ name: collector }) => ({ org: org.settings.name, collector, day }));
    target.added(subjects, at);
  }
  return unknown.map(({ name }) => name);
}
