import type { PeopleSettings } from '../../catalog/people.ts';
import { plusKnown } from '../counts.ts';
import { bytesOf, FIGURES, type FigureName, type PeopleColumns, textOf } from './columns.ts';
import type { PersonDay } from './schema.ts';
import { OTHER_TEAMS } from './teams.ts';

interface Line {
  readonly day: PersonDay;
  readonly team: string;
}

/** The people of a day, one by one. */
export interface PeopleTable {
  add(day: PersonDay, team: string): void;
  /** All of them, sorted by label; of a team that is not shown, `other` is told. Yields between columns. */
  columns(shownTeams: ReadonlySet<string>): Generator<void, PeopleColumns>;
}

/** Starts a table, where the settings tell people apart. */
export function createPeopleTable({ labelOf, identity }: PeopleSettings): PeopleTable | undefined {
  if (identity === 'none') return undefined;
  const lines = new Map<string, Line>();
  return {
    add(day, team) {
      const user = labelOf(day.person);
      if (user === undefined) return;
      const before = lines.get(user);
      lines.set(user, before === undefined ? { day, team } : together(before, { day, team }));
    },
    *columns(shownTeams) {
      // Sorted, since the order in which they came is that of their ids, which a hash is not to tell.
      const users = [...lines.keys()].sort();
      const sorted = users.flatMap((user) => lines.get(user) ?? []);
      const days = sorted.map(({ day }) => day);
      yield;
      const attributes = {
        user: textOf(users),
        team: textOf(sorted.map(({ team }) => (shownTeams.has(team) ? team : OTHER_TEAMS))),
        model: textOf(days.map(({ model }) => model)),
        tier: textOf(days.map(({ tier }) => tier)),
        level: textOf(days.map(({ level }) => level)),
      };
      const figures = {} as Record<FigureName, string>;
      for (const name of FIGURES) {
        yield;
        figures[name] = bytesOf(days, name);
      }
      return { ...attributes, ...figures };
    },
  };
}

/** Two people under one label, such as two accounts with one address: sums; what can't be summed goes. */
function together(one: Line, other: Line): Line {
  const larger = (other.day.credits ?? 0) > (one.day.credits ?? 0) ? other : one;
  const sums = FIGURES.map((name) => [name, plusKnown(one.day[name], other.day[name])]);
  return { ...larger, day: { ...larger.day, ...Object.fromEntries(sums), autonomy: undefined } };
}
