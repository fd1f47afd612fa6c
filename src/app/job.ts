import type { FetchingCollector } from '../catalog/collector.ts';
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
}

interface JobParts {
  readonly org: DeployedOrg;
  readonly collector: FetchingCollector;
  readonly runner: Runner;
  /** Decides whether this process runs it. */
  readonly claim: ClaimRun;
  readonly schedules: LiveConfig['schedules'];
}

/** Creates the job of a collector. */
export function jobOf(parts: JobParts): DeployedJob {
  const { org, collector, runner, claim, schedules } = parts;
  const schedule = schedules[collector.schedule];
  return {
    name: jobName(org.config.name, collector.name),
    org: org.config.name,
    collector: collector.name,
    schedule,
    jitterMs: schedules.jitterMs,
    async run(mode) {
      try {
        const who = { org: org.config.name, collector: collector.name, schedule };
        const claimed = await claim(who, mode);
        if (claimed === undefined) return;
        const source = await org.connection.open();
        const signals = [org.retired.signal, ...(claimed.lost === undefined ? [] : [claimed.lost])];
        const target = { org: org.settings, source, retired: AbortSignal.any(signals) };
        if ((await runner.run(target, collector, mode)) === 'ended') await claimed.finish();
        else claimed.abandon();
      } catch (error) {
        // Nothing is requested while nothing can be stored; a later tick or the recovery runs it.
        if (!(error instanceof NotStored)) throw error;
      }
    },
  };
}

/** The name of the job that runs a collector of an organization. */
export function jobName(org: string, collector: string): string {
  return `${org}/${collector}`;
}
