import type { DatasetName } from '../../catalog/dataset.ts';
import type { Day } from '../../catalog/day.ts';
import type { HistoryState, Touched } from '../state.ts';
import type { HistoryFile } from './file.ts';

/** The days and documents of one dataset that its file does not hold as they are. */
export interface UnsavedDataset {
  readonly org: string;
  /** Undefined: what is known of the organization itself. */
  readonly dataset: DatasetName | undefined;
  readonly days: Set<Day>;
  readonly documents: Set<string>;
}

/** Remembers by name what still has to be stored; the values themselves are read when they are stored. */
export interface Unsaved {
  readonly isEmpty: boolean;
  add(touched: Touched): void;
  /** Hands everything over and forgets it. */
  take(): readonly UnsavedDataset[];
}

/** Starts with nothing to store. */
export function createUnsaved(): Unsaved {
  let datasets = new Map<string, UnsavedDataset>();
  return {
    get isEmpty() {
      return datasets.size === 0;
    },
    add({ org, dataset, days, documents }) {
      const key = JSON.stringify([org, dataset]);
      const known = datasets.get(key) ?? { org, dataset, days: new Set(), documents: new Set() };
      for (const day of days) known.days.add(day);
      for (const id of documents) known.documents.add(id);
      datasets.set(key, known);
    },
    take() {
      const taken = [...datasets.values()];
      datasets = new Map();
      return taken;
    },
  };
}

/** Writes what is unsaved as it is kept, one row at a step. */
export function* writes(
  file: HistoryFile,
  kept: HistoryState,
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
