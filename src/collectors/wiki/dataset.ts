import type { DocumentDataset } from '../../catalog/dataset.ts';
import type { Instant } from '../../catalog/day.ts';

/** Path of the listing. */
export const WIKI_PATH = '/api/v0/wiki';

/** A stored wiki run. */
export interface WikiRun {
  readonly id: string;
  /** Host and path only. */
  readonly repo?: string | undefined;
  /** Creation time, or completion time if only that is known. */
  readonly at?: Instant | undefined;
  readonly status?: string | undefined;
  readonly pages?: number | undefined;
}

export const wikiDataset: DocumentDataset<WikiRun> = {
  kind: 'documents',
  name: 'wiki',
  idOf: ({ id }) => id,
  existsFrom: ({ at }) => at,
  // 2: the repository includes port, query and fragment.
  schemaVersion: 2,
};
