import { type Collector, isFetching } from '../catalog/collector.ts';
import type { Instruments } from '../exposition/instruments.ts';
import type { History } from '../history/history.ts';
import { createMemoryHistory } from '../history/memory.ts';
import { createSqliteHistory } from '../history/sqlite/history.ts';
import type { RunBook } from '../pipeline/runs.ts';
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
  readonly collectors: readonly Collector[];
  readonly clock: Clock;
  readonly log: Logger;
  /** Told when the file has brought more than was known, later than at the start. */
  readonly onLateLoad: () => void;
}

/** Opens the history that the configuration names; rejects with a `ConfigError` where its file must be left alone. */
export async function openHistory({ path, collectors, ...deps }: HistoryParts): Promise<ServiceHistory> {
  if (path === MEMORY) return { history: createMemoryHistory(), isPersistent: undefined };
  const forms = new Map(collectors.map(({ dataset }) => [dataset.name, dataset.form ?? 1]));
  const history = await createSqliteHistory({ path, formOf: (name) => forms.get(name) ?? 1, ...deps });
  return { history, isPersistent: history.isPersistent };
}

/** Makes each name stand for the organization that its configuration names. */
export async function adoptConfigured(
  history: History,
  orgs: readonly { readonly name: string; readonly orgId?: string | undefined }[],
): Promise<void> {
  for (const { name, orgId } of orgs) if (orgId !== undefined) await history.adopt(name, orgId);
}

/** Tells what was fetched well before these collectors ran, so that ages count on over a restart. */
export async function restoreSuccesses(
  { history, runs, instruments }: { history: History; runs: RunBook; instruments: Instruments },
  orgs: readonly { readonly name: string }[],
  collectors: readonly Collector[],
): Promise<void> {
  for (const { name: org } of orgs) {
    const known = await history.read(org);
    // A derived collector has no runs of its own that could succeed.
    for (const { name: collector, dataset } of collectors.filter(isFetching)) {
      const at = known.succeededAt(dataset.name);
      if (at === undefined) continue;
      instruments.restoreLastSuccess({ org, collector, at });
      runs.update(org, collector, { lastSuccessAt: at });
    }
  }
}
