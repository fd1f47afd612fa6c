import type { Collector } from '../catalog/collector.ts';
import type { History } from '../history/history.ts';
import { createMemoryHistory } from '../history/memory.ts';
import { createSqliteHistory } from '../history/sqlite/history.ts';
import { NO_RUN } from '../pipeline/runs.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Core } from './core.ts';
import type { Deployment } from './deployment.ts';

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
  const forms = new Map(collectors.map(({ dataset }) => [dataset.name, dataset.form ?? 1]));
  const history = await createSqliteHistory({ path, formOf: (name) => forms.get(name) ?? 1, ...deps });
  return { history, isPersistent: history.isPersistent };
}

/** Makes each name stand for the organization that its configuration names. */
async function adoptConfigured(history: History, { orgs }: Pick<Deployment, 'orgs'>): Promise<void> {
  for (const [name, { config }] of orgs) {
    if (config.orgId !== undefined) await history.adopt(name, config.orgId);
  }
}

/**
 * Restores what the history knows of organizations that have not run yet: whose it is, and when each of their
 * collectors last succeeded, so that ages count on over a restart.
 */
export async function restore(
  { history, runs, instruments }: Pick<Core, 'history' | 'runs' | 'instruments'>,
  { orgs, fetching }: Pick<Deployment, 'orgs' | 'fetching'>,
): Promise<void> {
  await adoptConfigured(history, { orgs });
  for (const org of orgs.keys()) {
    const unknown = fetching.filter(({ name }) => runs.get(org, name) === NO_RUN);
    if (unknown.length === 0) continue;
    const known = await history.read(org);
    for (const { name: collector, dataset } of unknown) {
      const at = known.succeededAt(dataset.name);
      if (at === undefined) continue;
      instruments.restoreLastSuccess({ org, collector, at });
      runs.update(org, collector, { lastSuccessAt: at });
    }
  }
}
