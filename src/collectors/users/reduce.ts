import { hasActivity, withRejected } from '../../catalog/dataset.ts';
import { byName } from '../../catalog/object.ts';
import { DEFAULT_PLATFORM, type PeopleSettings } from '../../catalog/settings.ts';
import { MAX_PARTS, OTHER, plusKnown, UNKNOWN_TIER } from '../counts.ts';
import { FIGURE_NAMES } from './columns.ts';
import {
  type ModelPeople,
  TEAM_FIGURES,
  type TeamCredits,
  type TeamFigures,
  type UsersRow,
  usersDataset,
} from './dataset.ts';
import { creditStatistics, protectedTeams, type TeamSums } from './groups.ts';
import { createPeopleTable } from './people-table.ts';
import type { PersonDay, PersonFault } from './person-day.ts';

const OTHER_MODELS = `${OTHER}\n${OTHER}`;

/** Reduces the people of a day to a row, keeping no more of each person than the row needs. */
export class DayReducer {
  readonly #settings: PeopleSettings;
  readonly #platform: string;
  // By model and tier, separated by a line break, which no label value contains.
  readonly #models = new Map<string, number>();
  readonly #levels = new Map<string, number>();
  readonly #languages = new Map<string, number>();
  readonly #teams = new Map<string, TeamSums>();
  readonly #credits: number[] = [];
  readonly #table: ReturnType<typeof createPeopleTable>;
  #total: number | undefined;
  #isQuiet = true;
  #hasFigures = false;

  /** The settings decide how people are identified; the platform is that of their organization. */
  constructor(settings: PeopleSettings, platform: string = DEFAULT_PLATFORM) {
    this.#settings = settings;
    this.#platform = platform;
    this.#table = createPeopleTable(settings);
  }

  add(day: PersonDay): void {
    const active = day.isActive;
    const team = this.#settings.teamOf(day.person, this.#platform);
    this.#total = plusKnown(this.#total, day.credits);
    if (active) this.#addActive(day);
    this.#addToTeam(team, day, active);
    this.#isQuiet &&= !active && FIGURE_NAMES.every((name) => (day[name] ?? 0) === 0);
    this.#hasFigures ||= active || FIGURE_NAMES.some((name) => day[name] !== undefined);
    this.#table?.add(day, team);
  }

  /** Yields between steps, so that the caller can let other work run. */
  *finish(): Generator<void, UsersRow> {
    const { identity, teamRules, teamBudgets } = this.#settings;
    const byTeam = protectedTeams([...this.#teams.values()], new Set(teamBudgets.keys()));
    const perUser = creditStatistics(this.#credits);
    yield;
    const row: UsersRow = {
      ...{ identity, teamRules },
      credits: this.#total,
      // Without any figure, it is unknown who was active.
      byPrimaryModel: this.#hasFigures ? modelsOf(this.#models) : undefined,
      byDelegationLevel: this.#hasFigures ? countsOf(this.#levels) : undefined,
      byLanguage: this.#hasFigures ? countsOf(this.#languages) : undefined,
      perUser,
      byTeam,
      budgetedTeams: this.#budgetedTeams(),
      people: this.#table && (yield* this.#table.columns(new Set(byTeam?.map(({ team }) => team)))),
    };
    return this.#isQuiet || hasActivity(usersDataset, row) ? row : { ...row, unshownActivity: 1 };
  }

  #addActive(day: PersonDay): void {
    if (day.credits !== undefined) this.#credits.push(day.credits);
    if (day.level !== undefined) countOne(this.#levels, day.level);
    if (day.model !== undefined)
      countOne(this.#models, `${day.model}\n${day.tier ?? UNKNOWN_TIER}`, OTHER_MODELS);
    for (const language of new Set(day.languages)) countOne(this.#languages, language);
  }

  #addToTeam(team: string, day: PersonDay, active: boolean): void {
    let sums = this.#teams.get(team);
    if (sums === undefined) {
      sums = { team, active: 0 };
      this.#teams.set(team, sums);
    }
    if (active) sums.active += 1;
    for (const name of TEAM_FIGURES) sums[name] = plusKnown(sums[name], day[name]);
  }

  /** A team without people on the day has 0 credits, and cost 0 if cost is known. */
  #budgetedTeams(): readonly TeamCredits[] | undefined {
    const names = [...this.#settings.teamBudgets.keys()].sort();
    if (names.length === 0) return undefined;
    const isCosted = [...this.#teams.values()].some(({ cost }) => cost !== undefined);
    return names.map((team) => {
      const { credits, cost } = this.#teams.get(team) ?? { credits: 0, cost: isCosted ? 0 : undefined };
      return { team, credits, cost };
    });
  }
}

function countOne(counts: Map<string, number>, name: string, rest = OTHER): void {
  const count = counts.get(name);
  const known = count !== undefined || counts.size < MAX_PARTS ? name : rest;
  counts.set(known, (count ?? counts.get(known) ?? 0) + 1);
}

function modelsOf(models: ReadonlyMap<string, number>): readonly ModelPeople[] {
  return countsOf(models).map(({ name, count }) => {
    const [model = '', tier = ''] = name.split('\n');
    return { model, tier, people: count };
  });
}

function countsOf(counts: ReadonlyMap<string, number>) {
  return [...counts].sort(byName).map(([name, count]) => ({ name, count }));
}

/**
 * The row without the sums and counts that unusable fields would make too low; `faults` has what each of them makes
 * unknown. Individual figures stay.
 */
export function withoutShortSums(row: UsersRow, faults: readonly (readonly PersonFault[])[]): UsersRow {
  if (faults.length === 0) return row;
  const spoiled = new Set(faults.flat());
  const has = (...names: readonly PersonFault[]) => names.some((name) => spoiled.has(name));
  const ofActive = <Figure>(figure: Figure, ...names: readonly PersonFault[]) =>
    has('isActive', ...names) ? undefined : figure;
  return withRejected(
    {
      ...row,
      credits: has('credits') ? undefined : row.credits,
      byPrimaryModel: ofActive(row.byPrimaryModel, 'model', 'tier'),
      byDelegationLevel: ofActive(row.byDelegationLevel, 'level'),
      byLanguage: ofActive(row.byLanguage, 'languages'),
      perUser: ofActive(row.perUser),
      byTeam: ofActive(row.byTeam, 'team')?.map(
        (team): TeamFigures => ({
          ...team,
          commits: has('commits') ? undefined : team.commits,
          pullRequests: has('pullRequests') ? undefined : team.pullRequests,
          cost: has('cost') ? undefined : team.cost,
        }),
      ),
      budgetedTeams: row.budgetedTeams?.map(
        ({ team, credits, cost }): TeamCredits => ({
          team,
          credits: has('credits', 'team') ? undefined : credits,
          cost: has('cost', 'team') ? undefined : cost,
        }),
      ),
    },
    faults.map(() => 'people'),
  );
}
