import type { PeopleSettings } from '../../catalog/people.ts';
import { plus } from '../counts.ts';
import {
  ATTRIBUTES,
  type AttributeName,
  bytesOf,
  FIGURES,
  type FigureName,
  type PeopleColumns,
  textOf,
} from './columns.ts';
import type { PersonDay } from './schema.ts';
import { OTHER_TEAMS } from './teams.ts';

type Columns = Record<FigureName, number[]> & Record<AttributeName, (string | undefined)[]>;

/** The people of a day, one by one. */
export interface PeopleTable {
  add(day: PersonDay, team: string): void;
  /** All of them, sorted by label; of a team that is not shown, `other` is told. Yields between columns. */
  columns(shownTeams: ReadonlySet<string>): Generator<void, PeopleColumns>;
}

/** Starts a table, where the settings tell people apart. */
export function createPeopleTable({ labelOf, identity }: PeopleSettings): PeopleTable | undefined {
  if (identity === 'none') return undefined;
  const columns = emptyColumns();
  const lines = new Map<string, number>();

  function addLine(day: PersonDay, user: string, team: string): void {
    columns.user.push(user);
    columns.team.push(team);
    columns.model.push(day.model);
    columns.tier.push(day.tier);
    columns.level.push(day.level);
    for (const name of FIGURES) columns[name].push(day[name] ?? Number.NaN);
  }

  /** Two people under one label, such as two accounts with one address: sums; what can't be summed goes. */
  function addToLine(line: number, day: PersonDay, team: string): void {
    if ((day.credits ?? 0) > known(columns.credits[line])) {
      columns.team[line] = team;
      columns.model[line] = day.model;
      columns.tier[line] = day.tier;
      columns.level[line] = day.level;
    }
    for (const name of FIGURES) {
      const before = columns[name][line];
      const now = day[name];
      if (now !== undefined) columns[name][line] = plus(known(before), now);
    }
    columns.autonomy[line] = Number.NaN;
  }

  return {
    add(day, team) {
      const user = labelOf(day.person);
      if (user === undefined) return;
      const line = lines.get(user);
      if (line !== undefined) addToLine(line, day, team);
      else {
        lines.set(user, columns.user.length);
        addLine(day, user, team);
      }
    },
    *columns(shownTeams) {
      columns.team = columns.team.map((team = '') => (shownTeams.has(team) ? team : OTHER_TEAMS));
      const order = [...lines.keys()].sort().map((user) => lines.get(user) ?? 0);
      yield;
      const texts = {} as Record<FigureName | AttributeName, string>;
      for (const name of ATTRIBUTES) {
        yield;
        texts[name] = textOf(columns[name], order);
      }
      for (const name of FIGURES) {
        yield;
        texts[name] = bytesOf(columns[name], order);
      }
      return texts;
    },
  };
}

function known(figure: number | undefined): number {
  return figure === undefined || Number.isNaN(figure) ? 0 : figure;
}

function emptyColumns(): Columns {
  return Object.fromEntries([...ATTRIBUTES, ...FIGURES].map((name) => [name, []])) as unknown as Columns;
}
