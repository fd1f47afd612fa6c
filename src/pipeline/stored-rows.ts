import type { Day } from '../catalog/day.ts';
import { RowNotRead, type RowsFrom, type Store, type StoredOrg } from '../store/store.ts';

/** Before any day. */
const EVER = '0000-01-01' as Day;

/**
 * Runs work on what is stored of an organization, read with these rows. Where one of them was not read (a dataset whose newest
 * row is old, a tier that was last reported long ago), it runs again with all rows of that dataset.
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
