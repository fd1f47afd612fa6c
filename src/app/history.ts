import type { Collector } from '../catalog/collector.ts';
import type { History } from '../history/history.ts';
import { createMemoryHistory } from '../history/memory.ts';
import { createSqliteHistory } from '../history/sqlite/history.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';

/** The path that means memory instead of a file. */
export const MEMORY = ':memory:';

/** A history, and whether all of it is stored in its file; undefined without a file. */
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
  /** Called when more was loaded from the file after the start. */
  readonly onLateLoad: () => void;
}

/** Opens the configured history; rejects with a `ConfigError` if its path is not a regular file. */
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
