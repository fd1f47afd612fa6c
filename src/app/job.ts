import type { FetchingCollector } from '../catalog/collector.ts';
import type { Instant } from '../catalog/day.ts';
import type { LiveConfig } from '../config/config.ts';
import type { RunStates } from '../pipeline/run-states.ts';
import type { Runner } from '../pipeline/runner.ts';
import type { Job, Scheduler } from '../scheduler/scheduler.ts';
import type { FailureReason, PlatformError } from '../text/errors.ts';
import type { Leading } from './leading.ts';
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
  readonly runs: Pick<RunStates, 'get'>;
  /** Aborted when another deployment replaces the one of this job. */
  readonly retired: AbortSignal;
  readonly leading: Pick<Leading, 'permit' | 'missed'>;
  readonly schedules: LiveConfig['schedules'];
  readonly scheduler: Pick<Scheduler, 'nextRunOf'>;
}

/** Creates the job of a collector. */
export function jobOf(parts: JobParts): DeployedJob {
  const { org, collector, runner, runs, retired, leading, schedules, scheduler } = parts;
  const name = jobName(org.config.name, collector.name);
  const schedule = schedules[collector.schedule];
  return {
    name,
    org: org.config.name,
    collector: collector.name,
    schedule,
    jitterMs: schedules.jitter,
    async run(mode) {
      let isDone = false;
      try {
        const permitted = leading.permit();
        if (permitted === undefined) return undefined;
        const source = await org.connection.open();
        const signals = permitted.ended === undefined ? [retired] : [retired, permitted.ended];
        const dueAfter = (at: Instant) => {
          const next = scheduler.nextRunOf(name, at);
          return next === undefined ? undefined : next + schedules.jitter;
        };
        const { platform } = org.config;
        const target = { org: org.settings, platform, source, retired: AbortSignal.any(signals), dueAfter };
        isDone = (await runner.run(target, collector, mode)) === 'ended';
        const { failure } = runs.get(org.config.name, collector.name);
        return isDone && failure !== undefined ? passesAt(failure.error) : undefined;
      } finally {
        if (!isDone && !retired.aborted) leading.missed(name);
      }
    },
  };
}

/** The failures that pass by themselves, so that a retry helps. Others wait for the next tick, a new key or new settings. */
const PASSING: ReadonlySet<FailureReason> = new Set(['network', 'timeout', 'throttled']);

/** The instant from which a retry can help; undefined if no retry can. */
function passesAt({ reason, status = 0, retryAt }: PlatformError): Instant | undefined {
  return retryAt ?? (PASSING.has(reason) || status >= 500 ? 0 : undefined);
}

/** The name of the job that runs a collector of an organization. */
export function jobName(org: string, collector: string): string {
  return `${org}/${collector}`;
}
