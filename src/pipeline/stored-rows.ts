import type { Day } from '../catalog/day.ts';
import { RowNotRead, type RowsFrom, type Store, type StoredOrg } from '../store/store.ts';

/** A day before all days. */
const EVER = '0000-01-01' as Day;

/**
 * Reads an organization with the rows from these days on, and runs `work` on it. If `work` needs an older row (the newest row of a
 * dataset is old, or a tier was last reported long ago), reads all rows of that dataset and runs `work` again.
 */
export async function readFor<Result>(
  store: Pick<Store, 'read'>,
  org: string,
  rows: RowsFrom,
  work: (stored: StoredOrg) => Promise<Result>,
): Promise<Result> {
  const from = new Map(rows);
  for (;;) {
    try {
      return await work(await store.read(org, from));
    } catch (error) {
      if (!(error instanceof RowNotRead) || from.get(error.dataset) === EVER) throw error;
      from.set(error.dataset, EVER);
    }
  }
}
