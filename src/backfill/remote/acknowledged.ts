import type { Day, Instant } from '../../catalog/day.ts';
import { endOf } from '../../catalog/day.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createSerialQueue } from '../../runtime/serial-queue.ts';
import type { StateFile } from '../state-file.ts';
import type { Subject } from '../target.ts';

/** Records the stamps that a target has acknowledged. */
export interface Acknowledged {
  missing(subject: Subject, stamps: readonly Instant[]): readonly Instant[];
  /** Records stamps, and stores the record soon. */
  note(subjects: readonly Subject[], stamps: readonly Instant[]): void;
  /** Stores everything that is not stored yet. */
  save(): Promise<void>;
}

/** Seconds after the day's end, by day, by collector, by organization. */
type Notes = Record<string, Record<string, Record<string, number[]>>>;

/** Maximum share of time spent storing. */
const SHARE = 0.05;

/**
 * Reads the acknowledgements of a target, which is identified by its address and the labels sent to it; records of
 * other targets in the same file are kept. Throws a `ConfigError` if the file is damaged.
 */
export async function readAcknowledged(
  file: StateFile,
  target: string,
  clock: Pick<Clock, 'elapsed'>,
): Promise<Acknowledged> {
  // Written by this module only; unknown content counts as not acknowledged.
  const document = (await file.read()) as { targets?: Readonly<Record<string, Notes>> } | null | undefined;
  const targets = document?.targets ?? {};
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

  /** Stores the record, after a write in progress. */
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
      // A failure is reported when the rest is saved.
      if (clock.elapsed() >= notBefore) save().catch(() => undefined);
    },
    save,
  };
}

function secondsInto(day: Day, stamp: Instant): number {
  return (stamp - endOf(day)) / 1000;
}
