import type { Watched, Watcher } from './run.ts';

/** Logs a contradiction between the platform's figures and the configuration, once. */
export function watchContradictions({ org, collector: { name, dataset }, deps }: Watched): Watcher {
  if (dataset.kind !== 'days' || dataset.contradictionIn === undefined) return {};
  return {
    stored({ rows }) {
      const [detail] = [...rows.values()].flatMap((row) => dataset.contradictionIn?.(row, org) ?? []);
      if (detail === undefined || detail === deps.runs.get(org.name, name).lastContradiction) return;
      deps.runs.update(org.name, name, { lastContradiction: detail });
      deps.log.warn('Configuration differs from what the platform reports; the configuration is used', {
        ...{ org: org.name, dataset: dataset.name, detail },
      });
    },
  };
}
