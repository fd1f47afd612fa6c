import { OTHER_TEAMS, type PeopleSettings } from '../../catalog/settings.ts';
import { plus } from '../counts.ts';
import { FIGURE_NAMES, type FigureName, type PeopleColumns, textOf } from './columns.ts';
import type { PersonDay } from './person-day.ts';

type Text = string | undefined;

/** Creates a table of the individual people of a day, if the settings identify them. */
export function createPeopleTable({ labelOf, identity }: PeopleSettings) {
  if (identity === 'none') return undefined;
  // Columns instead of the parsed objects: twenty thousand of them would cost more memory than everything else here.
  const rows = new Map<string, number>();
  const teams: string[] = [];
  const models: Text[] = [];
  const tiers: Text[] = [];
  const levels: Text[] = [];
  const describedCredits: number[] = [];
  const figures = createFigureTable();

  function describe(row: number, day: PersonDay, team: string): void {
    teams[row] = team;
    models[row] = day.model;
    tiers[row] = day.tier;
    levels[row] = day.level;
    describedCredits[row] = day.credits ?? 0;
  }

  return {
    add(day: PersonDay, team: string): void {
      const user = labelOf(day.person);
      if (user === undefined) return;
      const known = rows.get(user);
      const row = known ?? rows.size;
      if (known === undefined) {
        rows.set(user, row);
        figures.put(row, day);
        describe(row, day, team);
        return;
      }
      // Several people with one label, such as two accounts with one address: sums, and the attributes of the largest one.
      if ((day.credits ?? 0) > (describedCredits[row] ?? 0)) describe(row, day, team);
      figures.addTo(row, day);
    },
    /** All people, sorted by label; the team of a folded group is `other`. Yields between columns. */
    *columns(shownTeams: ReadonlySet<string>): Generator<void, PeopleColumns> {
      // Sorted, because the order of arrival is that of the ids, which a hash must not reveal.
      const users = [...rows.keys()].sort();
      const order = users.map((user) => rows.get(user) ?? 0);
      const sorted = (texts: readonly Text[]) => textOf(order.map((row) => texts[row]));
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
      for (const name of FIGURE_NAMES) {
        yield;
        columns[name] = figures.column(name, order);
      }
      return { ...attributes, ...columns };
    },
  };
}

const BYTES = Float64Array.BYTES_PER_ELEMENT;

const FIRST_PEOPLE = 256;

/** Creates the figures of many people, column by column; NaN means unknown. Rows are numbered from 0 without gaps. */
function createFigureTable() {
  // A column of twenty thousand people fits into the CPU cache; a table with a row for each would not.
  const columns = {} as Record<FigureName, Float64Array<ArrayBuffer>>;
  for (const name of FIGURE_NAMES) columns[name] = new Float64Array(FIRST_PEOPLE);
  let room = FIRST_PEOPLE;
  // Shared by all columns.
  let bytes = Buffer.alloc(0);

  function grow(): void {
    room *= 2;
    for (const name of FIGURE_NAMES)
      columns[name] = new Float64Array(columns[name].buffer.transfer(room * BYTES));
  }

  function at(row: number, name: FigureName): number {
    return columns[name][row] ?? Number.NaN;
  }

  return {
    put(row: number, day: PersonDay): void {
      if (row >= room) grow();
      for (const name of FIGURE_NAMES) columns[name][row] = day[name] ?? Number.NaN;
    },
    /** Adds to the figures of a person; what cannot be summed, or is unknown of one of them, becomes unknown. */
    addTo(row: number, day: PersonDay): void {
      for (const name of FIGURE_NAMES) {
        const sum = plus(at(row, name), day[name] ?? Number.NaN);
        columns[name][row] = name === 'autonomy' ? Number.NaN : sum;
      }
    },
    /** A figure of the people in these rows, in their order, as bytes in base64. */
    column(name: FigureName, order: readonly number[]): string {
      if (bytes.length < order.length * BYTES) bytes = Buffer.alloc(order.length * BYTES);
      for (const [index, row] of order.entries()) bytes.writeDoubleLE(at(row, name), index * BYTES);
      return bytes.toString('base64', 0, order.length * BYTES);
    },
  };
}
