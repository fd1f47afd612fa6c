import type { DocumentDataset } from '../../catalog/dataset.ts';
import type { Instant } from '../../catalog/day.ts';

/** Where the platform lists runs. */
export const WIKI_PATH = '/api/v0/wiki';

/** What is kept of a wiki run. */
export interface WikiRun {
  readonly id: string;
  /** Host and path alone. */
  readonly repo?: string | undefined;
  /** When it was started, or where only that is known, completed. */
  readonly at?: Instant | undefined;
  readonly status?: string | undefined;
  readonly pages?: number | undefined;
}

export const wikiDataset: DocumentDataset<WikiRun> = {
  kind: 'documents',
  name: 'wiki',
  idOf: ({ id }) => id,
  // 2: repositories are told apart by port, query and fragment too.
  schemaVersion: 2,
};
