import { hasActivity, withRejected } from '../../catalog/dataset.ts';
import { byName } from '../../catalog/object.ts';
import type { PeopleSettings } from '../../catalog/settings.ts';
import { MAX_PARTS, OTHER, plusKnown, UNKNOWN_TIER } from '../counts.ts';
import { FIGURES } from './columns.ts';
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
import type { PersonDay } from './schema.ts';

const OTHER_MODELS = `${OTHER}\n${OTHER}`;
const FIELDS = Object.values(FIGURES);

/** A person's day with what it cost, where the platform reports that. */
type CostedDay = PersonDay & { readonly cost?: number | undefined };

/** Reduces the people of a day to a row, keeping no more of each person than the row needs. */
export class DayReducer {
  readonly #settings: PeopleSettings;
  // By model and tier, in lines of their own: a label value has no line break.
  readonly #models = new Map<string, number>();
  readonly #levels = new Map<string, number>();
  readonly #languages = new Map<string, number>();
  readonly #teams = new Map<string, TeamSums>();
  readonly #credits: number[] = [];
  readonly #table: ReturnType<typeof createPeopleTable>;
  #total: number | undefined;
  #isQuiet = true;
  #hasFigures = false;

  /** The settings decide how people are identified. */
  constructor(settings: PeopleSettings) {
    this.#settings = settings;
    this.#table = createPeopleTable(settings);
  }

  add(day: CostedDay): void {
    const active = isActive(day);
    const team = this.#settings.teamOf(day.person);
    this.#total = plusKnown(this.#total, day.billable_tokens);
    if (active) this.#addActive(day);
    this.#addToTeam(team, day, active);
    this.#isQuiet &&= !active && FIELDS.every((field) => (day[field] ?? 0) === 0);
    this.#hasFigures ||= active || FIELDS.some((field) => day[field] !== undefined);
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
    if (day.billable_tokens !== undefined) this.#credits.push(day.billable_tokens);
    if (day.delegation_level !== undefined) countOne(this.#levels, day.delegation_level);
    if (day.primary_model !== undefined)
      countOne(this.#models, `${day.primary_model}\n${day.primary_model_tier ?? UNKNOWN_TIER}`, OTHER_MODELS);
    for (const language of new Set(day.languages)) countOne(this.#languages, language);
  }

  #addToTeam(team: string, day: CostedDay, active: boolean): void {
    let sums = this.#teams.get(team);
    if (sums === undefined) {
      sums = { team, active: 0 };
      this.#teams.set(team, sums);
    }
    if (active) sums.active += 1;
    for (const name of TEAM_FIGURES)
      sums[name] = plusKnown(sums[name], day[name === 'cost' ? name : FIGURES[name]]);
  }

  /** A team that nobody of the day belongs to has no credits, and costs nothing where cost is known. */
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

/** A person is active with any session, message, tool call or credit. */
function isActive({ sessions = 0, messages = 0, tool_calls = 0, billable_tokens = 0 }: PersonDay): boolean {
  return sessions > 0 || messages > 0 || tool_calls > 0 || billable_tokens > 0;
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

/** The fields by which a person counts as active: if one is unusable, the number of active people is unknown. */
const ACTIVITY = new Set([
  'sessions',
  'messages',
  'user_messages',
  'assistant_messages',
  'tool_calls',
  'billable_tokens',
]);

/**
 * The row without the sums and counts that unusable fields would make too low; `faults` has the name of the field of
 * each fault. Individual figures stay.
 */
export function withoutShortSums(row: UsersRow, faults: readonly string[]): UsersRow {
  if (faults.length === 0) return row;
  const has = (...fields: readonly string[]) => fields.some((field) => faults.includes(field));
  const isActivityKnown = !faults.some((field) => ACTIVITY.has(field));
  const ofActive = <Figure>(figure: Figure, ...fields: readonly string[]) =>
    isActivityKnown && !has(...fields) ? figure : undefined;
  return withRejected(
    {
      ...row,
      credits: has('billable_tokens') ? undefined : row.credits,
      byPrimaryModel: ofActive(row.byPrimaryModel, 'primary_model', 'primary_model_tier'),
      byDelegationLevel: ofActive(row.byDelegationLevel, 'delegation_level'),
      byLanguage: ofActive(row.byLanguage, 'languages'),
      perUser: ofActive(row.perUser),
      byTeam: ofActive(row.byTeam, 'user_email')?.map(
        (team): TeamFigures => ({
          ...team,
          commits: has('git_commits') ? undefined : team.commits,
          pullRequests: has('git_prs_created') ? undefined : team.pullRequests,
          cost: has('cost') ? undefined : team.cost,
        }),
      ),
      budgetedTeams: row.budgetedTeams?.map(
        ({ team, credits, cost }): TeamCredits => ({
          team,
          credits: has('billable_tokens', 'user_email') ? undefined : credits,
          cost: has('cost', 'user_email') ? undefined : cost,
        }),
      ),
    },
    faults,
    usersDataset.parts,
  );
}
