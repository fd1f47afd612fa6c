import { setImmediate } from 'node:timers/promises';
import type { OrgFigures } from '../figures.ts';
import type { Html } from './html.ts';
import { summaryCells } from './overview.ts';

/** Rows that are rendered before other work may run: a few milliseconds. */
const ROWS_AT_ONCE = 10;

/** Renders the cells of the index in slices, so that no scrape waits, and keeps them as long as their figures. */
export function createIndexCells(): (
  figures: ReadonlyMap<string, OrgFigures>,
) => Promise<ReadonlyMap<string, Html>> {
  const rendered = new WeakMap<OrgFigures, Html>();
  return async (figures) => {
    const cells = new Map<string, Html>();
    let fresh = 0;
    for (const [org, own] of figures) {
      const known = rendered.get(own);
      const made = known ?? summaryCells(org, own);
      if (known === undefined) {
        rendered.set(own, made);
        if (++fresh % ROWS_AT_ONCE === 0) await setImmediate();
      }
      cells.set(org, made);
    }
    return cells;
  };
}
