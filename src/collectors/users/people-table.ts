import type { PeopleSettings } from '../../catalog/people.ts';
import { FIGURES, type FigureName, type PeopleColumns, textOf } from './columns.ts';
import { createFigureTable } from './figure-table.ts';
import type { PersonDay } from './schema.ts';
import { OTHER_TEAMS } from './teams.ts';

type Text = string | undefined;

/** The people of a day, one by one. */
export interface PeopleTable {
  add(day: PersonDay, team: string): void;
  /** All of them, sorted by label; of a team that is not shown, `other` is told. Yields between columns. */
  columns(shownTeams: ReadonlySet<string>): Generator<void, PeopleColumns>;
}

/** Starts a table, where the settings tell people apart. */
export function createPeopleTable({ labelOf, identity }: PeopleSettings): PeopleTable | undefined {
  if (identity === 'none') return undefined;
  // Of nobody the object is kept that the answer was read into: twenty thousand of them cost more than all else here.
  const places = new Map<string, number>();
  const teams: string[] = [];
  const models: Text[] = [];
  const tiers: Text[] = [];
  const levels: Text[] = [];
  const figures = createFigureTable();

  function describe(place: number, { model, tier, level }: PersonDay, team: string): void {
    teams[place] = team;
    models[place] = model;
    tiers[place] = tier;
    levels[place] = level;
  }

  return {
    add(day, team) {
      const user = labelOf(day.person);
      if (user === undefined) return;
      const known = places.get(user);
      const place = known ?? places.size;
      if (known === undefined) {
        places.set(user, place);
        figures.put(place, day);
        describe(place, day, team);
        return;
      }
      // Two people under one label, such as two accounts with one address: of the larger one, and sums.
      if ((day.credits ?? 0) > (figures.at(place, 'credits') ?? 0)) describe(place, day, team);
      figures.addTo(place, day);
    },
    *columns(shownTeams) {
      // Sorted, since the order in which they came is that of their ids, which a hash is not to tell.
      const users = [...places.keys()].sort();
      const order = users.map((user) => places.get(user) ?? 0);
      const sorted = (texts: readonly Text[]) => textOf(order.map((place) => texts[place]));
      const shown = teams.map((team) => (shownTeams.has(team) ? team : OTHER_TEAMS));
      yield;
      const attributes = {
        user: textOf(users),
        team: sorted(shown),
        model: sorted(models),
        tier: sorted(tiers),
        level: sorted(levels),
      };
      const columns = {} as Record<FigureName, string>;
      for (const name of FIGURES) {
        yield;
        columns[name] = figures.column(name, order);
      }
      return { ...attributes, ...columns };
    },
  };
}
