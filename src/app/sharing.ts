import type { SharedRun, SharedTotals } from '../history/postgres/runs.ts';
import { isOverdue, showSharedRuns } from './claims.ts';
import type { Core } from './core.ts';
import type { Deployment } from './deployment.ts';
import { logUnlessNotStored } from './store.ts';
import { jobsOf } from './transition.ts';

/** Begins to share the work with other processes, if the store is shared. */
export function shareWork(core: Core, inUse: () => Deployment): void {
  const { store, scheduler, history, traffic, lastTick, log } = core;
  const leases = store.shared?.leases;
  if (leases === undefined) return;
  const overdue = (isNew: boolean, org?: string) =>
    jobsOf(inUse())
      .filter((job) => (org === undefined || job.org === org) && isOverdue(leases, lastTick, job, isNew))
      .map(({ name }) => name);

  /** Continues where another process has stopped. */
  async function takeOver(org: string): Promise<void> {
    const orgId = inUse().orgs.get(org)?.config.orgId;
    if (orgId !== undefined) await history.adopt(org, orgId);
    scheduler.catchUp(overdue(true, org));
  }

  leases.subscribe({
    onHeld(org, pauses) {
      traffic.takeOver(org, pauses);
      takeOver(org).catch((error: unknown) => logUnlessNotStored(log, 'Takeover failed', error));
    },
    onRefresh(org, collectors) {
      const asked = jobsOf(inUse(), new Set(collectors)).filter((job) => job.org === org);
      void scheduler.refresh(new Set(asked.map(({ name }) => name)));
    },
    onBeat: () => scheduler.catchUp(overdue(false)),
    isBusy: (org) => jobsOf(inUse()).some((job) => job.org === org && scheduler.isRunning(job.name)),
  });
  leases.start();
}

/** Asks the other processes to refresh what they hold. */
export async function askOthersToRefresh(core: Core, { orgs, fetching }: Deployment): Promise<void> {
  const leases = core.store.shared?.leases;
  if (leases === undefined) return;
  for (const org of orgs.keys()) {
    if (leases.isHeld(org)) continue;
    await leases.askToRefresh(
      org,
      fetching.map(({ name }) => name),
    );
  }
}

/** Publishes the last runs of an organization and its totals, over all processes. */
export function showShared(
  core: Core,
  { orgs, fetching, config }: Deployment,
  org: string,
  runs: readonly SharedRun[],
  totals: readonly SharedTotals[],
  isAll: boolean,
): void {
  const leases = core.store.shared?.leases;
  if (leases === undefined || !orgs.has(org)) return;
  const collectors = fetching.map(({ name, schedule }) => ({ name, schedule: config.schedules[schedule] }));
  showSharedRuns({ ...core, now: leases.now(), isHeld: leases.isHeld(org) }, org, collectors, runs);
  const stored = new Map(totals.map((total) => [total.dataset, total]));
  for (const { dataset } of fetching) {
    const { name, kind } = dataset;
    const total = stored.get(name) ?? (isAll ? { revisions: 0, rejected: 0 } : undefined);
    if (total === undefined) continue;
    const revisions = kind === 'days' ? total.revisions : undefined;
    core.instruments.showTotals({ org, dataset: name, revisions, rejected: total.rejected });
  }
  core.onTried();
}
