import type { Collector } from '../catalog/collector.ts';
import type { History } from '../history/history.ts';
import { createMemoryHistory } from '../history/memory.ts';
import { createSqliteHistory } from '../history/sqlite/history.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';

/** The path that stands for no file. */
export const MEMORY = ':memory:';

/** A history, and whether all of it is in its file; not known where it has none. */
export interface ServiceHistory {
  readonly history: History;
  readonly isPersistent: (() => boolean) | undefined;
}

export interface HistoryParts {
  /** A file, or `:memory:`. */
  readonly path: string;
  readonly onDamage: 'keep' | 'replace';
  readonly collectors: readonly Collector[];
  readonly clock: Clock;
  readonly log: Logger;
  /** Told when the file has brought more than was known, later than at the start. */
  readonly onLateLoad: () => void;
}

/** Opens the history that the configuration names; rejects with a `ConfigError` where its path leads to something else. */
export async function openHistory({ path, collectors, ...deps }: HistoryParts): Promise<ServiceHistory> {
  if (path === MEMORY) return { history: createMemoryHistory(), isPersistent: undefined };
  const versions = new Map(collectors.map(({ dataset }) => [dataset.name, dataset.schemaVersion ?? 1]));
  const history = await createSqliteHistory({
    path,
    schemaVersionOf: (name) => versions.get(name) ?? 1,
    ...deps,
  });
  return { history, isPersistent: history.isPersistent };
}
