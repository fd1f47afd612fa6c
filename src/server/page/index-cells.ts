import { setImmediate } from 'node:timers/promises';
import type { OrgFigures } from '../figures.ts';
import type { Html } from './html.ts';
import { summaryCells } from './overview.ts';

/** Rows that are rendered before other work may run: a millisecond. */
const ROWS_AT_ONCE = 10;

/** Renders the cells of an index in slices, so that no scrape waits. */
export async function indexCells(
  figures: Iterable<readonly [org: string, figures: OrgFigures]>,
): Promise<ReadonlyMap<string, Html>> {
  const cells = new Map<string, Html>();
  for (const [org, own] of figures) {
    cells.set(org, summaryCells(org, own));
    if (cells.size % ROWS_AT_ONCE === 0) await setImmediate();
  }
  return cells;
}
