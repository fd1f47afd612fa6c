import type { PeopleSettings } from '../../catalog/people.ts';
import { type Count, MAX_PARTS, OTHER, plus, plusKnown } from '../counts.ts';
import type { ModelPeople, TeamFigures, UsersRow } from './dataset.ts';
import { createPeopleTable } from './people-table.ts';
import type { PersonDay } from './schema.ts';
import { creditStatistics } from './statistics.ts';
import { protectedTeams } from './teams.ts';

const UNKNOWN_TIER = 'unknown';

/** Makes a day's row of its people, one after the other; of each no more is kept than the row needs. */
export interface DayReducer {
  add(person: PersonDay): void;
  finish(): UsersRow;
}

/** Starts a day for people who may be shown as the settings say. */
export function createDayReducer(settings: PeopleSettings): DayReducer {
  const models = new Map<string, ModelPeople>();
  const levels = new Map<string, number>();
  const languages = new Map<string, number>();
  const teams = new Map<string, TeamFigures>();
  const credits: number[] = [];
  const table = createPeopleTable(settings);
  let total: number | undefined;

  function addActive({ credits: consumed, model, tier = UNKNOWN_TIER, level, ...day }: PersonDay): void {
    if (consumed !== undefined) credits.push(consumed);
    if (model !== undefined) {
      const isKept = models.has(JSON.stringify([model, tier])) || models.size < MAX_PARTS;
      const kept = isKept ? { model, tier } : { model: OTHER, tier: OTHER };
      const key = JSON.stringify([kept.model, kept.tier]);
      models.set(key, { ...kept, people: (models.get(key)?.people ?? 0) + 1 });
    }
    if (level !== undefined) countOne(levels, level);
    for (const language of new Set(day.languages)) countOne(languages, language);
  }

  function addToTeam(team: string, day: PersonDay, active: boolean): void {
    const sum = teams.get(team);
    teams.set(team, {
      team,
      active: (sum?.active ?? 0) + (active ? 1 : 0),
      credits: plusKnown(sum?.credits, day.credits),
      toolCalls: plusKnown(sum?.toolCalls, day.toolCalls),
      commits: plusKnown(sum?.commits, day.commits),
      pullRequests: plusKnown(sum?.pullRequests, day.pullRequests),
    });
  }

  return {
    add(day) {
      const active = isActive(day);
      const team = settings.teamOf(day.person);
      total = plusKnown(total, day.credits);
      if (active) addActive(day);
      addToTeam(team, day, active);
      table?.add(day, team);
    },
    finish() {
      const byTeam = protectedTeams([...teams.values()]);
      const shown = new Set(byTeam?.map(({ team }) => team));
      return {
        identity: settings.identity,
        teamRules: settings.teamRules,
        credits: total,
        byPrimaryModel: [...models].sort(byKey).map(([, entry]) => entry),
        byDelegationLevel: countsOf(levels),
        byLanguage: countsOf(languages),
        perUser: creditStatistics(credits),
        byTeam,
        people: table?.columns(shown),
      };
    },
  };
}

/** Section 6: sessions, messages, tool calls or credits above zero. */
function isActive({ sessions = 0, messages = 0, toolCalls = 0, credits = 0 }: PersonDay): boolean {
  return sessions > 0 || messages > 0 || toolCalls > 0 || credits > 0;
}

function countOne(counts: Map<string, number>, name: string): void {
  const known = counts.has(name) || counts.size < MAX_PARTS ? name : OTHER;
  counts.set(known, plus(counts.get(known) ?? 0, 1));
}

function countsOf(counts: ReadonlyMap<string, number>): readonly Count[] {
  return [...counts].sort(byKey).map(([name, count]) => ({ name, count }));
}

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
