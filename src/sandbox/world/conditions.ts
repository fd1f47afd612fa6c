import { type Day, dayMs, hourMs } from '../calendar.ts';
import { mix } from '../random.ts';
import { modelMix } from './models.ts';
import { attendance, circlingOn, growth, type Temper } from './rhythm.ts';

/** The conditions shared by all people of an organization on one day. */
export type Conditions = Readonly<ReturnType<typeof conditionsOn>>;

/** The conditions of a day; determined by the arguments only. */
export function conditionsOn(org: Temper & { readonly name: string }, day: Day, edition: number) {
  return {
    day,
    seed: mix(org.seed, day),
    attendance: attendance(org, day),
    steady: org.steady,
    growth: growth(day),
    /** The factor of model calls of people whose agents are stuck in loops that day; 1 on most days. */
    circling: circlingOn(org, day),
    mix: modelMix(org.name, day),
    /** The number of revisions of the day's figures; below 0 while they are incomplete. */
    edition,
  };
}

/**
 * Creates the store of editions by day. While days are `late` in an organization, the figures of a day grow every hour until
 * so many hours after its end.
 */
export function createEditions(
  now: () => number,
  late: (org: string) => boolean,
  settledAfterHours: number = 7 * 24,
) {
  const revisions = new Map<Day, number>();
  return {
    of(day: Day, org: string): number {
      const hours = Math.floor((now() - (day + 1) * dayMs) / hourMs);
      const toCome = late(org) ? Math.min(settledAfterHours, Math.max(0, settledAfterHours - hours)) : 0;
      return (revisions.get(day) ?? 0) - toCome;
    },
    revise(day: Day): void {
      revisions.set(day, (revisions.get(day) ?? 0) + 1);
    },
  };
}
