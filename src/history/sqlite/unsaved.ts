import type { DatasetName } from '../../catalog/dataset.ts';
import type { Day } from '../../catalog/day.ts';
import type { DatasetState } from '../history.ts';
import { type HistoryState, openedDataset, type Touched } from '../state.ts';
import type { HistoryFile } from './file.ts';

/** The days and documents of one dataset that differ from its file. */
export interface UnsavedDataset {
  readonly org: string;
  /** Undefined: the organization itself. */
  readonly dataset: DatasetName | undefined;
  readonly days: Set<Day>;
  readonly documents: Set<string>;
}

/** Records by name what still has to be stored; the values are read when they are stored. */
interface Unsaved {
  readonly isEmpty: boolean;
  add(touched: Touched): void;
  /** Returns and clears the record. */
  take(): readonly UnsavedDataset[];
}

/** Creates an empty record. */
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

/** Writes what is unsaved, one row per step. */
export function* writes(
  file: HistoryFile,
  kept: HistoryState,
  batch: readonly UnsavedDataset[],
): Generator<void, void> {
  for (const unsaved of batch) {
    const { org, dataset, days, documents } = unsaved;
    let seen: DatasetState | undefined;
    let opened: DatasetState | undefined;
    if (dataset === undefined) {
      file.putOrg(org, kept.identity(org));
      yield;
      continue;
    }
    // Read for each row: a row that changes meanwhile is unsaved again, and writing its newer value is harmless.
    const latest = (): DatasetState | undefined => {
      const now = kept.dataset(org, dataset);
      if (now !== seen) opened = now && openedDataset(now);
      seen = now;
      return opened;
    };
    for (const day of days) {
      file.putDay(org, dataset, day, latest());
      yield;
    }
    for (const id of documents) {
      file.putDocument(org, dataset, id, latest());
      yield;
    }
    file.putDataset(org, dataset, kept.dataset(org, dataset));
    file.putOrg(org, kept.identity(org));
    yield;
  }
}
