import type { Day, Instant } from '../../catalog/day.ts';
import { endOf } from '../../catalog/day.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createSerialQueue } from '../../runtime/serial-queue.ts';
import type { StateFile } from '../state-file.ts';
import type { Subject } from '../target.ts';

/** Remembers which stamps a target has acknowledged. */
export interface Acknowledged {
  missing(subject: Subject, stamps: readonly Instant[]): readonly Instant[];
  /** Notes stamps, and stores the note soon. */
  note(subjects: readonly Subject[], stamps: readonly Instant[]): void;
  /** Stores what is not stored yet. */
  save(): Promise<void>;
}

/** Seconds after the day's end, by day, by collector, by organization. */
type Notes = Record<string, Record<string, Record<string, number[]>>>;

/** Storing may take at most this share of the time. */
const SHARE = 0.05;

/**
 * Reads what was acknowledged for a target, named by its address and the labels sent to it; other targets' notes in
 * the same file stay. Throws a `ConfigError` where the file is damaged.
 */
export async function readAcknowledged(
  file: StateFile,
  target: string,
  clock: Pick<Clock, 'elapsed'>,
): Promise<Acknowledged> {
  const targets = targetsIn(await file.read());
  const notes: Notes = targets[target] ?? {};
  let changed = false;
  const queue = createSerialQueue();
  let notBefore = Number.NEGATIVE_INFINITY;

  function daysOf({ org, collector }: Subject): Record<string, number[]> {
    const ofOrg = notes[org] ?? {};
    notes[org] = ofOrg;
    const days = ofOrg[collector] ?? {};
    ofOrg[collector] = days;
    return days;
  }

  /** Stores what is noted, after whatever is being stored now. */
  function save(): Promise<void> {
    return queue.run(saveNow);
  }

  async function saveNow(): Promise<void> {
    if (!changed) return;
    changed = false;
    const startedAt = clock.elapsed();
    try {
      await file.write({ version: 1, targets: { ...targets, [target]: notes } });
    } catch (error) {
      changed = true;
      throw error;
    }
    const endedAt = clock.elapsed();
    notBefore = endedAt + (endedAt - startedAt) / SHARE;
  }

  return {
    missing(subject, stamps) {
      const known = new Set(daysOf(subject)[subject.day]);
      return stamps.filter((stamp) => !known.has(secondsInto(subject.day, stamp)));
    },
    note(subjects, stamps) {
      for (const subject of subjects) {
        const days = daysOf(subject);
        const seconds = stamps.map((stamp) => secondsInto(subject.day, stamp));
        days[subject.day] = [...new Set([...(days[subject.day] ?? []), ...seconds])].sort((a, b) => a - b);
      }
      changed = true;
      // A failure to store shows when the rest is saved.
      if (clock.elapsed() >= notBefore) save().catch(() => undefined);
    },
    save,
  };
}

function secondsInto(day: Day, stamp: Instant): number {
  return (stamp - endOf(day)) / 1000;
}

function targetsIn(document: unknown): Record<string, Notes> {
  if (typeof document !== 'object' || document === null || !('targets' in document)) return {};
  // Written by this module alone; what is not understood counts as not acknowledged.
  return typeof document.targets === 'object' && document.targets !== null
    ? (document.targets as Record<string, Notes>)
    : {};
}
