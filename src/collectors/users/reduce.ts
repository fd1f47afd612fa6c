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

/**
 * Creates what reduces the people of a day to a row, keeping no more of each person than the row needs; the settings decide how
 * people are identified.
 */
export function createDayReducer(settings: PeopleSettings) {
  // By model and tier, in lines of their own: a label value has no line break.
  const models = new Map<string, number>();
  const levels = new Map<string, number>();
  const languages = new Map<string, number>();
  const teams = new Map<string, TeamSums>();
  const credits: number[] = [];
  const table = createPeopleTable(settings);
  let total: number | undefined;
  let isQuiet = true;
  let hasFigures = false;

  function addActive(day: PersonDay): void {
    if (day.billable_tokens !== undefined) credits.push(day.billable_tokens);
    if (day.delegation_level !== undefined) countOne(levels, day.delegation_level);
    if (day.primary_model !== undefined)
      countOne(models, `${day.primary_model}\n${day.primary_model_tier ?? UNKNOWN_TIER}`, OTHER_MODELS);
    for (const language of new Set(day.languages)) countOne(languages, language);
  }

  function addToTeam(team: string, day: PersonDay, active: boolean): void {
    let sums = teams.get(team);
    if (sums === undefined) {
      sums = { team, active: 0 };
      teams.set(team, sums);
    }
    if (active) sums.active += 1;
    for (const name of TEAM_FIGURES) sums[name] = plusKnown(sums[name], day[FIGURES[name]]);
  }

  /** A team that nobody of the day belongs to has no credits. */
  function budgetedTeams(): readonly TeamCredits[] | undefined {
    const names = [...settings.teamBudgets.keys()].sort();
    if (names.length === 0) return undefined;
    return names.map((team) => ({ team, credits: teams.has(team) ? teams.get(team)?.credits : 0 }));
  }

  return {
    add(day: PersonDay): void {
      const active = isActive(day);
      const team = settings.teamOf(day.person);
      total = plusKnown(total, day.billable_tokens);
      if (active) addActive(day);
      addToTeam(team, day, active);
      isQuiet &&= !active && FIELDS.every((field) => (day[field] ?? 0) === 0);
      hasFigures ||= active || FIELDS.some((field) => day[field] !== undefined);
      table?.add(day, team);
    },
    /** Yields between steps, so that the caller can let other work run. */
    *finish(): Generator<void, UsersRow> {
      const byTeam = protectedTeams([...teams.values()], new Set(settings.teamBudgets.keys()));
      const perUser = creditStatistics(credits);
      yield;
      const row: UsersRow = {
        identity: settings.identity,
        teamRules: settings.teamRules,
        credits: total,
        // Without any figure, it is unknown who was active.
        byPrimaryModel: hasFigures ? modelsOf(models) : undefined,
        byDelegationLevel: hasFigures ? countsOf(levels) : undefined,
        byLanguage: hasFigures ? countsOf(languages) : undefined,
        perUser,
        byTeam,
        budgetedTeams: budgetedTeams(),
        people: table && (yield* table.columns(new Set(byTeam?.map(({ team }) => team)))),
      };
      return isQuiet || hasActivity(usersDataset, row) ? row : { ...row, unshownActivity: 1 };
    },
  };
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
        }),
      ),
      budgetedTeams: row.budgetedTeams?.map(
        ({ team, credits }): TeamCredits => ({
          team,
          credits: has('billable_tokens', 'user_email') ? undefined : credits,
        }),
      ),
    },
    faults,
    usersDataset.parts,
  );
}
