import { type FetchingCollector, isDayCollector } from '../catalog/collector.ts';
import type { LiveConfig } from '../config/config.ts';
import { NotStored } from '../history/history.ts';
import type { Runner } from '../pipeline/runner.ts';
import type { Job } from '../scheduler/scheduler.ts';
import type { ClaimRun } from './claims.ts';
import type { DeployedOrg } from './org.ts';

/** One fetching collector of one organization. */
export interface DeployedJob extends Job {
  readonly org: string;
  readonly collector: string;
  /** What a run in progress depends on: it continues under the next deployment if that is unchanged. */
  readonly basis: readonly unknown[];
  /** Shared by the jobs of successive deployments that have the same basis. */
  readonly lease: Lease;
}

/** The claim of successive deployments on one run. */
interface Lease {
  /** Aborted once no deployment needs the run. */
  readonly retired: AbortController;
  underWay: boolean;
}

interface JobParts {
  readonly org: DeployedOrg;
  readonly collector: FetchingCollector;
  readonly runner: Runner;
  /** Decides whether this process runs it. */
  readonly claim: ClaimRun;
  readonly schedules: LiveConfig['schedules'];
}

/** Creates the job of a collector; a job of the previous deployment with the same basis hands over its run. */
export function jobOf(parts: JobParts, before: ReadonlyMap<string, DeployedJob> | undefined): DeployedJob {
  const { org, collector, runner, claim, schedules } = parts;
  const name = jobName(org.config.name, collector.name);
  const basis = basisOf(org, collector);
  const known = before?.get(name);
  const isSame = known?.basis.every((value, index) => value === basis[index]) === true;
  const schedule = schedules[collector.schedule];
  const lease = isSame ? known.lease : { retired: new AbortController(), underWay: false };
  return {
    ...{ name, basis, lease },
    org: org.config.name,
    collector: collector.name,
    schedule,
    jitterMs: schedules.jitterMs,
    async run(mode) {
      lease.underWay = true;
      try {
        const who = { org: org.config.name, collector: collector.name, schedule };
        const claimed = await claim(who, mode);
        if (claimed === undefined) return;
        const source = await org.connection.open();
        const signals = [lease.retired.signal, ...(claimed.lost === undefined ? [] : [claimed.lost])];
        const target = { org: org.settings, source, retired: AbortSignal.any(signals) };
        if ((await runner.run(target, collector, mode)) === 'ended') await claimed.finish();
        else claimed.abandon();
      } catch (error) {
        // Nothing is requested while nothing can be stored; a later tick or the recovery runs it.
        if (!(error instanceof NotStored)) throw error;
      } finally {
        lease.underWay = false;
      }
    },
  };
}

/** Only rows of people depend on the settings about people. */
function basisOf({ connection, settings }: DeployedOrg, collector: FetchingCollector): readonly unknown[] {
  const madeForPeople = isDayCollector(collector) && collector.dataset.isCurrent !== undefined;
  if (!madeForPeople) return [connection];
  return [connection, settings.people?.identity, settings.people?.teamRules];
}

/** The name of the job that runs a collector of an organization. */
export function jobName(org: string, collector: string): string {
  return `${org}/${collector}`;
}
