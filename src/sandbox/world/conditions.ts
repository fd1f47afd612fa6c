import { type Day, dayMs, hourMs } from '../calendar.ts';
import { mix } from '../random.ts';
import { modelMix } from './models.ts';
import { attendance, circlingOn, growth, type Temper } from './rhythm.ts';

/** The completeness of a day's figures on the platform. */
export interface Edition {
  /** The share of late records still missing, 0 to 1. */
  readonly missing: number;
  /** The number of later revisions of the day. */
  readonly revision: number;
}

/** The conditions shared by all people of an organization on one day. */
export type Conditions = Readonly<ReturnType<typeof conditionsOn>>;

/** The conditions of a day; determined by the arguments only. */
export function conditionsOn(org: Temper & { readonly name: string }, day: Day, edition: Edition) {
  return {
    day,
    seed: mix(org.seed, day),
    attendance: attendance(org, day),
    growth: growth(day),
    /** The factor of model calls of people whose agents are stuck in loops that day; 1 on most days. */
    circling: circlingOn(org, day),
    mix: modelMix(org.name, day),
    edition,
  };
}

const settledAfterHours = 7 * 24;

/**
 * Creates the store of revisions by day. While days are `late` in an organization, the figures of a day grow every hour for
 * a week.
 */
export function createEditions(now: () => number, late: (org: string) => boolean) {
  const revisions = new Map<Day, number>();
  return {
    of(day: Day, org: string): Edition {
      const hours = Math.floor((now() - (day + 1) * dayMs) / hourMs);
      const missing = late(org) ? Math.min(1, Math.max(0, 1 - hours / settledAfterHours)) : 0;
      return { missing, revision: revisions.get(day) ?? 0 };
    },
    revise(day: Day): void {
      revisions.set(day, (revisions.get(day) ?? 0) + 1);
    },
  };
}
