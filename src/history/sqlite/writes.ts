import type { Kept } from '../kept.ts';
import type { HistoryFile } from './file.ts';
import type { UnsavedDataset } from './unsaved.ts';

/** Writes what is unsaved as it is kept, one row at a step. */
export function* writes(
  file: HistoryFile,
  kept: Kept,
  batch: readonly UnsavedDataset[],
): Generator<void, void> {
  for (const { org, dataset, days, documents } of batch) {
    if (dataset === undefined) {
      file.putOrg(org, kept.identity(org));
      yield;
      continue;
    }
    // Read at each row: what changes meanwhile is unsaved again, and the newer value does no harm.
    for (const day of days) {
      file.putDay(org, dataset, day, kept.dataset(org, dataset));
      yield;
    }
    for (const id of documents) {
      file.putDocument(org, dataset, id, kept.dataset(org, dataset));
      yield;
    }
    file.putDataset(org, dataset, kept.dataset(org, dataset));
    file.putOrg(org, kept.identity(org));
    yield;
  }
}
