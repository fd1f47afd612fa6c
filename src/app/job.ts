import { type FetchingCollector, isDayCollector } from '../catalog/collector.ts';
import type { LiveConfig } from '../config/config.ts';
import type { Runner } from '../pipeline/runner.ts';
import type { Job } from '../scheduler/scheduler.ts';
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
export interface Lease {
  /** Aborted once no deployment needs the run. */
  readonly retired: AbortController;
  underWay: boolean;
}

export interface JobParts {
  readonly org: DeployedOrg;
  readonly collector: FetchingCollector;
  readonly runner: Runner;
  /** Resolves once the store can be used; rejects when aborted. */
  readonly usable: (signal: AbortSignal) => Promise<void>;
  readonly schedules: LiveConfig['schedules'];
}

/** Creates the job of a collector; a job of the previous deployment with the same basis hands over its run. */
export function jobOf(parts: JobParts, before: ReadonlyMap<string, DeployedJob> | undefined): DeployedJob {
  const { org, collector, runner, usable, schedules } = parts;
  const name = jobName(org.config.name, collector.name);
  const basis = basisOf(org, collector);
  const known = before?.get(name);
  const isSame = known?.basis.every((value, index) => value === basis[index]) === true;
  const lease = isSame ? known.lease : { retired: new AbortController(), underWay: false };
  return {
    ...{ name, basis, lease },
    org: org.config.name,
    collector: collector.name,
    schedule: schedules[collector.schedule],
    jitterMs: schedules.jitterMs,
    async run(mode) {
      lease.underWay = true;
      try {
        const source = await org.connection.open();
        const target = { org: org.settings, source, retired: lease.retired.signal };
        // Nothing is requested that could not be stored.
        do await usable(lease.retired.signal);
        while ((await runner.run(target, collector, mode)) === 'cut');
      } catch (error) {
        if (!lease.retired.signal.aborted) throw error;
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
