import { collectorsFor, isDayCollector } from '../catalog/collector.ts';
import type { Core } from './core.ts';
import type { Deployment } from './deployment.ts';
import { historyOn } from './traffic.ts';

type Restored = Pick<Core, 'history' | 'leading' | 'runs' | 'instruments'>;

/**
 * Restores the state of organizations that have not run yet: their identity, and when each of their collectors last
 * succeeded, so that ages continue across a restart.
 */
export async function restore(
  core: Restored,
  deployment: Pick<Deployment, 'orgs' | 'fetching'>,
): Promise<void> {
  for (const [name, { config }] of deployment.orgs) {
    // The leader assigns each name to the organization that the configuration identifies, and that of another platform to none.
    if (core.leading.permit() === undefined) continue;
    const { isOwn, unnamed } = historyOn(config.platform);
    const { orgId } = await core.history.standing(name);
    if (config.orgId !== undefined || !isOwn(orgId ?? ''))
      await core.history.adopt(name, config.orgId, unnamed);
  }
  for (const [org, { settings }] of deployment.orgs) {
    await restoreRuns(core, deployment, org);
    if (core.leading.permit() === undefined) continue;
    const lags = await core.history.dayLags(org);
    for (const { dataset } of collectorsFor(deployment.fetching, settings).filter(isDayCollector))
      core.instruments.dayLags(org, dataset.name, lags.get(dataset.name) ?? {});
  }
}

/** Restores when the collectors of an organization last succeeded, unless this process has run them. */
export async function restoreRuns(
  { history, leading, runs, instruments }: Restored,
  { fetching }: Pick<Deployment, 'fetching'>,
  org: string,
): Promise<void> {
  const unknown = fetching.filter(({ name }) => runs.get(org, name).lastRunAt === undefined);
  if (unknown.length === 0) return;
  const known = await history.standing(org);
  for (const { name: collector, dataset } of unknown) {
    const at = known.dataset(dataset.name).succeededAt;
    if (at === undefined) continue;
    runs.update(org, collector, { lastSuccessAt: at });
    // Nobody would renew the figure on a follower.
    if (leading.permit() !== undefined) instruments.restoreLastSuccess({ org, collector, at });
  }
}
