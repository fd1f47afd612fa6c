import { NO_RUN } from '../pipeline/run-states.ts';
import type { Core } from './core.ts';
import type { Deployment } from './deployment.ts';

/** Assigns each name to the organization that the configuration identifies. */
async function adoptConfigured(
  { history, store }: Pick<Core, 'history' | 'store'>,
  { orgs }: Pick<Deployment, 'orgs'>,
): Promise<void> {
  for (const [name, { config }] of orgs) {
    // Of an organization that another process holds, that process does it.
    if (store.shared?.leases.isHeld(name) === false) continue;
    if (config.orgId !== undefined) await history.adopt(name, config.orgId);
  }
}

/**
 * Restores the state of organizations that have not run yet: their identity, and when each of their collectors last
 * succeeded, so that ages continue across a restart.
 */
export async function restore(
  { history, store, runs, instruments }: Pick<Core, 'history' | 'store' | 'runs' | 'instruments'>,
  { orgs, fetching }: Pick<Deployment, 'orgs' | 'fetching'>,
): Promise<void> {
  await adoptConfigured({ history, store }, { orgs });
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
