import type { PeopleSettings } from '../../catalog/people.ts';
import { plusKnown } from '../counts.ts';
import {
  ATTRIBUTES,
  type AttributeName,
  columnOf,
  FIGURES,
  type FigureName,
  type PeopleColumns,
} from './columns.ts';
import type { PersonDay } from './schema.ts';
import { OTHER_TEAMS } from './teams.ts';

type Entry = Record<FigureName, number | undefined> & Record<AttributeName, string | undefined>;

/** The people of a day, one by one. */
export interface PeopleTable {
  add(day: PersonDay, team: string): void;
  /** All of them, sorted by label; of a team that is not shown, `other` is told. */
  columns(shownTeams: ReadonlySet<string>): PeopleColumns;
}

/** Starts a table, where the settings tell people apart. */
export function createPeopleTable({ labelOf, identity }: PeopleSettings): PeopleTable | undefined {
  if (identity === 'none') return undefined;
  const entries = new Map<string, Entry>();
  return {
    add(day, team) {
      const user = labelOf(day.person);
      if (user === undefined) return;
      const before = entries.get(user);
      const entry = entryOf(day, user, team);
      entries.set(user, before === undefined ? entry : together(before, entry));
    },
    columns(shownTeams) {
      const people = [...entries.values()].sort((one, other) =>
        (one.user ?? '') < (other.user ?? '') ? -1 : 1,
      );
      for (const person of people) {
        if (!shownTeams.has(person.team ?? '')) person.team = OTHER_TEAMS;
      }
      const columns = [...ATTRIBUTES, ...FIGURES].map((name) => [
        name,
        columnOf(people.map((person) => person[name])),
      ]);
      return Object.fromEntries(columns) as PeopleColumns;
    },
  };
}

function entryOf(day: PersonDay, user: string, team: string): Entry {
  const { date: _date, person: _person, messages: _messages, languages: _languages, ...kept } = day;
  return { ...kept, user, team };
}

/** Two people under one label, such as two accounts with the same address: sums; what can't be summed goes. */
function together(one: Entry, other: Entry): Entry {
  const sum = (one.credits ?? 0) >= (other.credits ?? 0) ? { ...one } : { ...other };
  for (const name of FIGURES) sum[name] = plusKnown(one[name], other[name]);
  sum.autonomy = undefined;
  return sum;
}
