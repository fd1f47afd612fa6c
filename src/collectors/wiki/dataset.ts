import type { DocumentDataset } from '../../catalog/dataset.ts';
import type { Instant } from '../../catalog/day.ts';

/** A stored wiki run. */
export interface WikiRun {
  readonly id: string;
  /** Host and path only. */
  readonly repo?: string | undefined;
  /** Creation time, or completion time if only that is known. */
  readonly at?: Instant | undefined;
  /** Null if it was unusable, as for `pages`. */
  readonly status?: string | null | undefined;
  readonly pages?: number | null | undefined;
  /** Set on an entry that is not a run, but a note about a listing with unusable runs. */
  readonly partial?: PartialListing | undefined;
}

/** A listing with runs that were unusable as a whole. */
interface PartialListing {
  /** Number of distinct usable runs. */
  readonly usable: number;
  readonly unusable: number;
}

/** The note about a listing with unusable runs. It is stored like a run, without an id, until a listing comes without it. */
export function partialListing(partial: PartialListing): WikiRun {
  return { id: '', partial };
}

export const wikiDataset: DocumentDataset<WikiRun> = {
  kind: 'documents',
  name: 'wiki',
  idOf: ({ id }) => id,
  existsFrom: ({ at }) => at,
  // Version 2 did not distinguish an unusable value from a missing one.
  schemaVersion: 3,
};
