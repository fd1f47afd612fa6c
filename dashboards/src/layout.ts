import type { Column, PanelBuilding, Placed } from './panels/panel.ts';

const COLUMNS = 24;

/** Panels under a common heading. */
export interface Row {
  readonly title: string;
  readonly panels: readonly (Placed | Column)[];
  /** Whether the viewer opens it to see its panels. */
  readonly folded?: boolean;
}

interface Position {
  readonly h: number;
  readonly w: number;
  readonly x: number;
  readonly y: number;
}

interface PlacedRow {
  readonly row: Required<Pick<Row, 'title' | 'folded'>> & {
    readonly id: number;
    readonly position: Position;
  };
  readonly panels: readonly PanelBuilding[];
}

/** Places rows below each other and their panels from left to right; ids follow from the positions, except for `given` ones by title. */
export function place(rows: readonly Row[], given: ReadonlyMap<string, number>): readonly PlacedRow[] {
  let [nextId, top] = [1, 0];
  return rows.map(({ title, panels, folded = false }) => {
    const row = { id: nextId++, title, folded, position: { h: 1, w: COLUMNS, x: 0, y: top } };
    let [x, y, tallest] = [0, top + 1, 0];
    const placed = panels.flatMap((entry) => {
      if (x + entry.width > COLUMNS) [x, y, tallest] = [0, y + tallest, 0];
      const column = columnOf(entry);
      let below = y;
      for (const { panel, title, height } of column) {
        const byPosition = nextId++;
        panel.id(given.get(title) ?? byPosition).gridPos({ h: height, w: entry.width, x, y: below });
        below += height;
      }
      [x, tallest] = [x + entry.width, Math.max(tallest, below - y)];
      return column.map(({ panel }) => panel);
    });
    top = y + tallest;
    return { row, panels: placed };
  });
}

function columnOf(entry: Placed | Column): readonly Placed[] {
  return 'column' in entry ? entry.column : [entry];
}
