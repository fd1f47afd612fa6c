import { filledOn, isDayCollector } from '../catalog/collector.ts';
import type { OrgConfig } from '../config/config.ts';
import { type Store, UNCONFIRMED } from '../store/store.ts';
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
  // In a shared store, only the leader assigns names.
  for (const { config } of deployment.orgs.values())
    if (core.leading.permit() !== undefined) await assignName(core.history, config);
  for (const [org, { settings }] of deployment.orgs) {
    await restoreRuns(core, deployment, org);
    if (core.leading.permit() === undefined) continue;
    const lags = await core.history.dayLags(org);
    for (const { dataset } of filledOn(deployment.fetching, settings).filter(isDayCollector))
      core.instruments.dayLags(org, dataset.name, lags.get(dataset.name) ?? {});
  }
}

/** Assigns a name to the configured organization. If the stored one is of another platform or kind, the name is assigned to none. */
export async function assignName(
  history: Pick<Store, 'standing' | 'adopt'>,
  org: Pick<OrgConfig, 'name' | 'platform' | 'orgId' | 'baseUrl' | 'kind'>,
): Promise<void> {
  const { name, platform, orgId } = org;
  const { isOwn, unnamed } = historyOn(platform, org);
  const { orgId: known, confirmedKey } = await history.standing(name);
  const isSetAside = known === undefined && confirmedKey === UNCONFIRMED;
  if (orgId === undefined && isOwn(known ?? '') && !isSetAside) return;
  await history.adopt(name, orgId, unnamed);
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
    // A follower would never update this metric.
    if (leading.permit() !== undefined) instruments.restoreLastSuccess({ org, collector, at });
  }
}
