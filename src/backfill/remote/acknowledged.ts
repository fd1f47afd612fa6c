import type { Day, Instant } from '../../catalog/day.ts';
import { endOf } from '../../catalog/day.ts';
import type { StateFile } from '../state-file.ts';
import type { Subject } from '../target.ts';

/** The record of the stamps that a target has acknowledged. */
export type Acknowledged = Awaited<ReturnType<typeof readAcknowledged>>;

/** Seconds after the day's end, by day, by collector, by organization. */
type Notes = Record<string, Record<string, Record<string, number[]>>>;

/**
 * Reads the acknowledgements of a target, which is identified by its address and the labels sent to it; records of
 * other targets in the same file are kept. Throws a `ConfigError` if the file is damaged.
 */
export async function readAcknowledged(file: StateFile, target: string) {
  // Written by this module only; unknown content counts as not acknowledged.
  const document = (await file.read()) as { targets?: Readonly<Record<string, Notes>> } | null | undefined;
  const targets = document?.targets ?? {};
  const notes: Notes = targets[target] ?? {};
  let changed = false;

  function daysOf({ org, collector }: Subject): Record<string, number[]> {
    const ofOrg = notes[org] ?? {};
    notes[org] = ofOrg;
    const days = ofOrg[collector] ?? {};
    ofOrg[collector] = days;
    return days;
  }

  return {
    missing(subject: Subject, stamps: readonly Instant[]): readonly Instant[] {
      const known = new Set(daysOf(subject)[subject.day]);
      return stamps.filter((stamp) => !known.has(secondsInto(subject.day, stamp)));
    },
    /** Records stamps in memory. */
    note(subjects: readonly Subject[], stamps: readonly Instant[]): void {
      for (const subject of subjects) {
        const days = daysOf(subject);
        const seconds = stamps.map((stamp) => secondsInto(subject.day, stamp));
        days[subject.day] = [...new Set([...(days[subject.day] ?? []), ...seconds])].sort((a, b) => a - b);
      }
      changed = true;
    },
    /** Stores everything that was recorded. */
    async save(): Promise<void> {
      if (changed) await file.write({ version: 1, targets: { ...targets, [target]: notes } });
      changed = false;
    },
  };
}

function secondsInto(day: Day, stamp: Instant): number {
  return (stamp - endOf(day)) / 1000;
}
