import type { Day } from '../../../src/catalog/day.ts';
import type { ModelUsage } from '../../../src/collectors/explain/decompose.ts';
import type { Side, Sides } from '../../../src/collectors/explain/usage.ts';

/** A cause that is planted into a day; `diffuse` is a little of everything. */
export const PLANTED = ['people', 'longer sessions', 'new model', 'price', 'team', 'diffuse'] as const;
export type Planted = (typeof PLANTED)[number];

/** What a simulated organization is on a usual day. */
interface Habits {
  readonly people: number;
  readonly sessions: number;
  readonly tokens: number;
  /** Relative deviation of a person's sessions and of a session's tokens from day to day. */
  readonly noise: number;
  /** By model: share of the tokens and credits for each token. */
  readonly models: readonly (readonly [name: string, share: number, rate: number])[];
  /** By team: share of the people. */
  readonly teams: readonly (readonly [name: string, share: number])[];
}

/** A company, in which individuals disappear. */
export function company(random: () => number): Habits {
  return {
    people: 80 + Math.round(random() * 400),
    sessions: 2 + random() * 4,
    tokens: 200_000 + random() * 600_000,
    noise: 0.04,
    models: [
      ['a', 0.5, 0.9],
      ['b', 0.3, 0.5 + random()],
      ['c', 0.2, 0.2],
    ],
    teams: [
      ['red', 0.4],
      ['green', 0.35],
      ['blue', 0.25],
    ],
  };
}

/** A small shop with heavy users and one dominant model: made apart from the company, to show that the method does not fit it alone. */
export function shop(random: () => number): Habits {
  return {
    people: 14 + Math.round(random() * 20),
    sessions: 4 + random() * 8,
    tokens: 900_000 + random() * 2_000_000,
    noise: 0.09,
    models: [
      ['large', 0.8, 1.4],
      ['small', 0.2, 0.1 + random() * 0.2],
    ],
    teams: [
      ['front', 0.5],
      ['back', 0.5],
    ],
  };
}

/** Four days of an organization and the day after them, into which a cause is planted. */
export function planted(habits: Habits, cause: Planted, random: () => number): Sides {
  const usual = Array.from({ length: 4 }, () => dayOf(habits, undefined, random));
  return {
    before: meanOf(usual),
    after: meanOf([dayOf(habits, cause, random)]),
    sameWeekdays: true,
  };
}

interface SimulatedDay {
  readonly people: number;
  readonly sessions: number;
  readonly models: ReadonlyMap<string, ModelUsage>;
  readonly teams: ReadonlyMap<string, number>;
}

function dayOf(habits: Habits, cause: Planted | undefined, random: () => number): SimulatedDay {
  const around = (value: number) => value * (1 + habits.noise * (random() + random() + random() - 1.5) * 2);
  const by = (planted: Planted, factor: number) =>
    cause === planted ? factor : cause === 'diffuse' ? 1.08 : 1;
  const people = Math.round(around(habits.people) * by('people', 1.5));
  const sessions = Math.round(people * around(habits.sessions));
  const tokens = sessions * around(habits.tokens) * by('longer sessions', 1.6);
  const shares = habits.models.map(([name, share, rate]) => ({ name, share, rate }));
  if (cause === 'new model') {
    for (const one of shares) one.share *= 0.6;
    shares.push({ name: 'new', share: 0.4, rate: 3 });
  }
  const [first] = shares;
  if (first !== undefined) first.rate *= by('price', 1.7);
  const models = new Map(
    shares.map(({ name, share, rate }) => {
      const used = around(tokens * share);
      return [name, { tokens: used, credits: used * rate }];
    }),
  );
  const credits = [...models.values()].reduce((sum, one) => sum + one.credits, 0);
  const weights = habits.teams.map(([name, share], index) => {
    const factor = cause === 'team' && index === 1 ? 2.2 : 1;
    return [name, around(share) * factor] as const;
  });
  const usual = habits.teams.reduce((sum, [, share]) => sum + share, 0);
  const teams = new Map(weights.map(([name, weight]) => [name, (credits * weight) / usual]));
  return { people, sessions, models, teams };
}

function meanOf(days: readonly SimulatedDay[]): Side {
  const models = new Map<string, ModelUsage>();
  const teams = new Map<string, number>();
  const share = 1 / days.length;
  for (const day of days) {
    for (const [name, { credits, tokens }] of day.models) {
      const known = models.get(name) ?? { credits: 0, tokens: 0 };
      models.set(name, { credits: known.credits + share * credits, tokens: known.tokens + share * tokens });
    }
    for (const [name, credits] of day.teams) teams.set(name, (teams.get(name) ?? 0) + share * credits);
  }
  const mean = (of: (day: SimulatedDay) => number) => days.reduce((sum, day) => sum + share * of(day), 0);
  const all = [...models.values()];
  return {
    days: ['2026-11-24' as Day],
    usage: {
      credits: all.reduce((sum, { credits }) => sum + credits, 0),
      people: mean(({ people }) => people),
      sessions: mean(({ sessions }) => sessions),
      tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
      models,
    },
    cached: undefined,
    teams,
  };
}
