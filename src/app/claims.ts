import { createHash, randomUUID } from 'node:crypto';
import type { FetchingCollector } from '../catalog/collector.ts';
import { collectors as allCollectors } from '../collectors/index.ts';
import type { LiveConfig } from '../config/config.ts';
import type { Instruments } from '../exposition/instruments.ts';
import { NotStored } from '../history/history.ts';
import type { LeaseSettings, Leases } from '../history/postgres/leases.ts';
import type { Counted, SharedRun, SharedTotals } from '../history/postgres/runs.ts';
import type { RunStates } from '../pipeline/run-states.ts';
import { type FailureReason, failureReasons, PlatformError } from '../runtime/errors.ts';
import type { LastTick } from '../scheduler/cron.ts';

/** The right to run a collector of an organization now. */
interface Claim {
  /** Aborted once another process may run it. */
  readonly lost: AbortSignal | undefined;
  /** Records that the run has succeeded or failed. */
  finish(): Promise<void>;
  /** Records that the run was aborted and must be repeated. */
  abandon(): void;
}

/** Decides which process runs a collector. */
export type ClaimRun = (
  job: { readonly org: string; readonly collector: string; readonly schedule: string },
  mode: 'scheduled' | 'thorough',
) => Promise<Claim | undefined>;

/** Without other processes every run is this one's. */
export const claimEverything: ClaimRun = async () => ({
  lost: undefined,
  finish: async () => undefined,
  abandon: () => undefined,
});

/** Claims the tick of a schedule by the database's clock, for organizations that this process holds. */
export function createClaims(
  leases: Leases,
  lastTick: LastTick,
  stored: (org: string) => Promise<void>,
): ClaimRun {
  return async ({ org, collector, schedule }, mode) => {
    const lost = leases.lost(org);
    const at = lastTick(schedule, leases.now());
    if (!(await leases.claim(org, collector, at, mode === 'thorough'))) return undefined;
    return {
      lost,
      // An organization that is given away before the outcome is stored would have none.
      async finish() {
        await stored(org);
        await leases.finish(org, collector, at);
      },
      abandon: () => leases.abandon(org, collector),
    };
  };
}

/** Whether a held collector has a tick that no process has run, and that its own schedule seems to have missed. */
export function isOverdue(
  leases: Leases,
  lastTick: LastTick,
  job: {
    readonly org: string;
    readonly collector: string;
    readonly schedule: string;
    readonly jitterMs: number;
  },
  isNew: boolean,
): boolean {
  if (!leases.isHeld(job.org)) return false;
  const now = leases.now();
  const at = lastTick(job.schedule, now);
  if ((leases.tickOf(job.org, job.collector) ?? -1) >= at) return false;
  return isNew || now - at > job.jitterMs + GRACE_MS;
}

/** How far the clocks of process and database may differ before a tick counts as missed, in milliseconds. */
const GRACE_MS = 15_000;

/** Fingerprint of the settings that shape what is stored: processes that differ in them would undo each other's work. */
function storedShapeOf({ orgs, people, history }: LiveConfig): string {
  const { identity, teamRules } = people.current();
  const shape = [
    ...[identity, teamRules, history.retentionDays],
    orgs.flatMap(({ name, orgId }) => (orgId === undefined ? [] : [[name, orgId]])).sort(),
    allCollectors.map(({ dataset }) => [dataset.name, dataset.schemaVersion ?? 1]),
  ];
  return createHash('sha256').update(JSON.stringify(shape)).digest('hex');
}

/** The settings that leases depend on. */
export function leaseSettingsOf(config: LiveConfig): LeaseSettings {
  const { orgs, shard } = config;
  return {
    orgs: orgs.map(({ name }) => name),
    pool: `${shard.index}/${shard.total}`,
    fingerprint: storedShapeOf(config),
  };
}

/** The part of the instruments that runs update, with totals that all processes share. */
export function createSharedInstruments(
  instruments: Instruments,
  put: (org: string, run: SharedRun, counted: readonly Counted[]) => Promise<void>,
  runs: RunStates,
  /** Resolves before the next attempt to store a run; rejects when the process stops. */
  wait: () => Promise<void>,
): { readonly instruments: Instruments; stored(org: string): Promise<void> } {
  /** What was counted since the last run, by organization and dataset. */
  const pending = new Map<string, SharedTotals>();
  /** What runs have counted that could not be stored: maybe it was, and only the answer was lost. */
  const unstored = new Map<string, readonly Counted[]>();
  const storing = new Map<string, Promise<void>>();

  /** Stores a run, again until it succeeds: otherwise nobody would see its outcome before the collector's next one. */
  async function share(org: string, run: SharedRun, counted: readonly Counted[]): Promise<void> {
    for (;;) {
      try {
        await put(org, run, counted);
        return;
      } catch (error) {
        const isTaken = !(error instanceof NotStored) || error.details.reason === 'taken';
        const isLatest = runs.get(org, run.collector).lastRunAt === run.lastRunAt;
        if (isTaken || !isLatest) {
          // Stored with the next run.
          unstored.set(org, [...(unstored.get(org) ?? []), ...counted]);
          return;
        }
        await wait();
      }
    }
  }

  function add(
    { org, dataset }: { org: string; dataset: SharedTotals['dataset'] },
    counted: Partial<SharedTotals>,
  ): void {
    const key = JSON.stringify([org, dataset]);
    const { revisions = 0, rejected = 0 } = counted;
    const before = pending.get(key) ?? { dataset, revisions: 0, rejected: 0 };
    pending.set(key, {
      dataset,
      revisions: before.revisions + revisions,
      rejected: before.rejected + rejected,
    });
  }

  const shared: Instruments = {
    ...instruments,
    recordsRejected: ({ org, dataset, count }) => add({ org, dataset }, { rejected: count }),
    dayRevisions: ({ org, dataset, count }) => add({ org, dataset }, { revisions: count }),
    collectorRun({ org, collector, seconds }) {
      const { lastRunAt = 0, lastSuccessAt, failure } = runs.get(org, collector);
      const totals: SharedTotals[] = [];
      for (const [key, counted] of pending) {
        if ((JSON.parse(key) as readonly string[])[0] !== org) continue;
        totals.push(counted);
        pending.delete(key);
      }
      const counted = [...(unstored.get(org) ?? [])];
      unstored.delete(org);
      if (totals.length > 0) counted.push({ id: randomUUID(), totals });
      const { since = 0, error } = failure ?? {};
      const outcome = share(
        org,
        {
          ...{ collector, lastRunAt, lastSuccessAt, seconds },
          failure: error && { since, reason: error.reason, message: error.message, hint: error.hint },
        },
        counted,
      ).catch(() => undefined); // The process stops.
      const before = storing.get(org);
      storing.set(
        org,
        Promise.all([before, outcome]).then(() => undefined),
      );
    },
  };
  return { instruments: shared, stored: async (org) => storing.get(org) };
}

/** Shows the runs that any process has made; a run since the collector's newest tick counts as an attempt. */
export function showSharedRuns(
  parts: {
    readonly instruments: Instruments;
    readonly runs: RunStates;
    readonly now: number;
    readonly isHeld: boolean;
    readonly lastTick: LastTick;
  },
  org: string,
  collectors: readonly (Pick<FetchingCollector, 'name'> & { readonly schedule: string })[],
  shared: readonly SharedRun[],
): void {
  const { instruments, runs, now, isHeld, lastTick } = parts;
  for (const run of shared) {
    const collector = collectors.find(({ name }) => name === run.collector);
    if (collector === undefined) continue;
    const reason = failureReasons.find((one): one is FailureReason => one === run.failure?.reason);
    const { lastRunAt, lastSuccessAt, seconds, failure } = run;
    instruments.showRun({
      org,
      collector: run.collector,
      lastRunAt,
      lastSuccessAt,
      seconds,
      failure: reason,
    });
    const known = runs.get(org, run.collector);
    runs.update(org, run.collector, {
      running: isHeld && known.running,
      tried: known.tried || lastRunAt >= lastTick(collector.schedule, now),
      ...{ lastRunAt, lastSuccessAt, lastDurationSeconds: seconds },
      failure: failure &&
        reason && {
          since: failure.since,
          error: new PlatformError(reason, failure.message, { hint: failure.hint }),
        },
    });
  }
}
