import type { Day } from '../calendar.ts';
import { mix } from '../random.ts';
import { type ModelMix, modelMix } from './models.ts';
import { attendance, circlingOn, growth, type Temper } from './rhythm.ts';

/** How far the platform has got with a day's figures. */
export interface Edition {
  /** The share of late records still missing, 0 to 1. */
  readonly missing: number;
  /** How often the day was revised after that. */
  readonly revision: number;
}

export const finalEdition: Edition = { missing: 0, revision: 0 };

/** What all people of an organization share on one day. */
export interface Conditions {
  readonly day: Day;
  readonly seed: number;
  readonly attendance: number;
  readonly growth: number;
  /** How many times as many model calls the people make whose agents run in circles that day; 1 on most. */
  readonly circling: number;
  readonly mix: ModelMix;
  readonly edition: Edition;
}

/** The conditions of a day; they follow from the arguments alone. */
export function conditionsOn(
  org: Temper & { readonly name: string },
  day: Day,
  edition: Edition = finalEdition,
): Conditions {
  return {
    day,
    seed: mix(org.seed, day),
    attendance: attendance(org, day),
    growth: growth(day),
    circling: circlingOn(org, day),
    mix: modelMix(org.name, day),
    edition,
  };
}
