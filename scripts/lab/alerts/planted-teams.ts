import type { Day } from '../../../src/catalog/day.ts';
import { ANONYMOUS, type PeopleSettings } from '../../../src/catalog/settings.ts';
import { normal } from '../../../test/collectors/spend/backtest/world.ts';
import { createRandom } from '../../../test/fuzz/random.ts';
import { dayNamed } from '../../../test/support/day.ts';
import { budgetOf, eventsOfForecast, exceededAt, monthsOf, type PlantedEvent } from './budget-events.ts';

const ALERT = 'TeamBudgetProjectedOver';
/** A team's part of the credits; with few people, its days differ much. */
const TEAMS = [
  ['web', 0.3],
  ['ops', 0.2],
] as const;
/** For two months, web works on something that takes half as much again. */
const PROJECT = { team: 'web', from: dayNamed('2026-09-21'), to: dayNamed('2026-11-20'), factor: 1.5 };
/** No month of ops uses more of its budget. */
const FITS = 0.85;

/** The teams of a planted year: their budgets, what must be told of them, and the rows of their people. */
export interface PlantedTeams {
  readonly settings: PeopleSettings;
  readonly events: readonly PlantedEvent[];
  /** The people of a day as `/users` lists them: one for each team, and one for all others. */
  peopleOn(day: Day): readonly object[];
}

/** Plants a team whose budget three months exceed, and one whose budget none does, into the credits of some days. */
export function plantTeams(
  seed: number,
  people: number,
  days: readonly { readonly day: Day; readonly credits: number; readonly active: number }[],
): PlantedTeams {
  const random = createRandom(seed * 15_485_863 + people);
  const parts = new Map(
    days.map(({ day, credits, active }) => {
      const shares = TEAMS.map(([team, share]) => {
        const isBusy = team === PROJECT.team && day >= PROJECT.from && day <= PROJECT.to;
        const noise = Math.exp((0.6 / Math.sqrt(Math.max(1, share * active))) * normal(random));
        return [team, share * (isBusy ? PROJECT.factor : 1) * noise] as const;
      });
      const rest = 1 - TEAMS.reduce((sum, [, share]) => sum + share, 0);
      const whole = shares.reduce((sum, [, share]) => sum + share, rest);
      const own = shares.map(([team, share]) => [team, Math.round((credits * share) / whole)] as const);
      const used = own.reduce((sum, [, amount]) => sum + amount, 0);
      return [day, new Map<string, number>([...own, ['others', credits - used]])] as const;
    }),
  );
  const monthsOfTeam = (team: string) =>
    monthsOf([...parts].map(([day, of]) => [day, of.get(team) ?? 0] as const));
  const budgets = new Map(
    TEAMS.map(([team]) => {
      const months = monthsOfTeam(team);
      const largest = Math.max(...months.map(({ total }) => total));
      return [team, team === PROJECT.team ? budgetOf(months) : Math.round(largest / FITS)] as const;
    }),
  );
  const events = [...budgets].flatMap(([team, budget]) =>
    monthsOfTeam(team).flatMap((month): readonly PlantedEvent[] => {
      const owner = { budget_team: team };
      const { end, exceeded } = exceededAt(month, budget);
      // A forecast that comes too late is no false alert: nothing else says that the budget is exceeded.
      const late = exceeded !== undefined && {
        ...{ alert: ALERT, from: exceeded, until: end, optional: true },
        labels: { ...owner, month: month.month },
      };
      return [...eventsOfForecast(ALERT, month, budget, owner), ...(late ? [late] : [])];
    }),
  );
  return {
    settings: {
      ...ANONYMOUS,
      teamRules: 'by identifier',
      teamOf: ({ id }) => id,
      teamBudgets: budgets,
    },
    events,
    peopleOn: (day) =>
      [...(parts.get(day) ?? [])].map(([team, credits]) => ({
        ...{ user_id: team, date: day, sessions: 3 },
        billable_tokens: credits,
      })),
  };
}
