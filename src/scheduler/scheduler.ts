import { DAY_MS, type Instant } from '../catalog/day.ts';
import type { Logger } from '../log/logger.ts';
import { messageOf } from '../text/errors.ts';
import { backoffMs } from '../work/backoff.ts';
import type { Clock } from '../work/clock.ts';
import type { Ticker, Ticking } from './ticker.ts';

/** Something that runs at start and then on a schedule, never concurrently with itself. */
export interface Job {
  /** Unique among the jobs. */
  readonly name: string;
  /** Cron expression of five fields, in UTC. */
  readonly schedule: string;
  /** The longest random delay of a scheduled run, in milliseconds. */
  readonly jitterMs: number;
  /**
   * `thorough`: on demand, when everything that may have changed is fetched again. If it failed for a reason that passes by
   * itself, resolves with the instant before which another try is useless; it is then retried before the next tick.
   */
  run(mode: 'scheduled' | 'thorough'): Promise<Instant | undefined>;
}

/** Dependencies of a scheduler. */
interface SchedulerParts {
  readonly ticker: Ticker;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** The wait before the first retry of a failed run; it doubles until the next tick comes first. */
const RETRY = { baseMs: 60_000, capMs: DAY_MS };

/** The minimum time between two extra runs after clock jumps, in milliseconds. */
const JUMP_RUN_MS = 600_000;

interface Lane {
  job: Job;
  retired: boolean;
  /** Whether it has run. */
  begun: boolean;
  running: Promise<void> | undefined;
  /** Whether the run in progress, or otherwise the last one, is a thorough one. */
  isThorough: boolean;
  thoroughNext: Promise<void> | undefined;
  ticking: Ticking | undefined;
  /** How many of the last runs in a row could be retried. */
  failures: number;
  /** The retry that is waiting. */
  retry: { readonly at: Instant; readonly dropped: AbortController } | undefined;
}

/** Runs jobs on their schedules; jobs and schedules may change while it runs. */
export type Scheduler = ReturnType<typeof createScheduler>;

/** Creates a scheduler in which each job has a lane of its own, so that no job delays another. */
export function createScheduler({ ticker, clock, random, log }: SchedulerParts) {
  let started = false;
  /** Resolved at the start, or at the end if there is none before. */
  const begun = Promise.withResolvers<void>();
  const stopped = new AbortController();
  const lanes = new Map<string, Lane>();
  /** Jobs whose thorough run was ended by their removal: it begins again if they are added again. */
  const unfinished = new Set<string>();

  function run(lane: Lane, mode: 'scheduled' | 'thorough'): Promise<void> {
    lane.begun = true;
    lane.isThorough = mode === 'thorough';
    drop(lane);
    const running = lane.job
      .run(mode)
      .then((notBefore) => {
        if (notBefore === undefined) lane.failures = 0;
        else if (!lane.retired && !stopped.signal.aborted) void retryLater(lane, notBefore);
      })
      .catch((thrown: unknown) => {
        log.error('Job failed unexpectedly', { job: lane.job.name, error: messageOf(thrown) });
      })
      .finally(() => {
        lane.running = undefined;
      });
    lane.running = running;
    return running;
  }

  /** Retries a run unless another one comes first; at the latest, that of the next tick. */
  async function retryLater(lane: Lane, notBefore: Instant): Promise<void> {
    const now = clock.now();
    const tick = lane.ticking?.next();
    const pause = Math.max(backoffMs(lane.failures, RETRY), notBefore - now);
    const at = now + pause + random() * lane.job.jitterMs;
    lane.failures += 1;
    if (tick === undefined || at >= tick) return;
    const dropped = new AbortController();
    lane.retry = { at, dropped };
    await clock.wait(at - now, dropped.signal).catch(() => undefined);
    if (!dropped.signal.aborted) await run(lane, 'scheduled');
  }

  let lastJumpRun = Number.NEGATIVE_INFINITY;
  let isJumpRunDue = false;
  /** Counts the jumps: a tick that waited across one is left to the run after it. */
  let jumps = 0;

  /**
   * Runs every job once, soon after the clock was changed or the process was suspended: ticks may have been missed, and
   * a new day may have begun.
   */
  async function onJump(): Promise<void> {
    jumps += 1;
    if (isJumpRunDue) return;
    isJumpRunDue = true;
    // If it is stopped meanwhile, no run begins below.
    const wait = Math.max(0, lastJumpRun + JUMP_RUN_MS - clock.elapsed());
    await clock.wait(wait, stopped.signal).catch(() => undefined);
    isJumpRunDue = false;
    lastJumpRun = clock.elapsed();
    for (const lane of lanes.values()) void afterJump(lane);
  }

  /** A run in progress may have begun on another day. */
  async function afterJump(lane: Lane): Promise<void> {
    await lane.running;
    await runSoon(lane);
  }

  function onTick(lane: Lane): Promise<void> {
    const before = jumps;
    return runSoon(lane, () => jumps === before);
  }

  async function runSoon(lane: Lane, isWanted = () => true): Promise<void> {
    try {
      await clock.wait(random() * lane.job.jitterMs, stopped.signal);
    } catch {
      return; // Stopped meanwhile.
    }
    if (lane.retired || !isWanted()) return;
    if (lane.running !== undefined) {
      log.debug('Previous run still in progress; skipping tick', { job: lane.job.name });
      return;
    }
    await run(lane, 'scheduled');
  }

  async function runNext(lane: Lane): Promise<void> {
    await lane.running;
    if (lane.running === undefined && !lane.retired && !stopped.signal.aborted) await run(lane, 'scheduled');
  }

  function thoroughly(lane: Lane): Promise<void> {
    if (lane.running === undefined) return run(lane, 'thorough');
    lane.thoroughNext ??= lane.running.then(() => {
      lane.thoroughNext = undefined;
      return stopped.signal.aborted || lane.retired ? undefined : run(lane, 'thorough');
    });
    return lane.thoroughNext;
  }

  function tick(lane: Lane): void {
    lane.ticking?.stop();
    lane.ticking = ticker.start(lane.job.schedule, () => void onTick(lane));
  }

  /** Begins with thousands of jobs in slices; leaves out those that are removed meanwhile. */
  async function each(these: Iterable<Lane>, begin: (lane: Lane) => void): Promise<void> {
    for (const lane of these) {
      if (stopped.signal.aborted) return;
      if (!lane.retired) begin(lane);
      // Awaited each time: what the job does at once, after its first promise, counts for the slice.
      await clock.slices.next();
    }
  }

  /** Runs new lanes, unless a refresh has done so meanwhile. */
  function startLanes(these: readonly Lane[]): void {
    for (const lane of these) tick(lane);
    void each(these, (lane) => {
      if (!lane.begun) void run(lane, unfinished.delete(lane.job.name) ? 'thorough' : 'scheduled');
    });
  }

  return {
    /** Runs every job once and starts its schedule. */
    start(): void {
      started = true;
      ticker.onJump(() => void onJump());
      startLanes([...lanes.values()]);
      begun.resolve();
    },
    /** Runs jobs (all unless named) thoroughly as soon as they are free, after the start; resolves when all have ended. */
    async refresh(names?: ReadonlySet<string>): Promise<void> {
      await begun.promise;
      const selected = [...lanes.values()].filter(({ job }) => names === undefined || names.has(job.name));
      const running: Promise<void>[] = [];
      await each(selected, (lane) => running.push(thoroughly(lane)));
      await Promise.all(running);
    },
    /** Runs jobs as scheduled, but now; those that are running, once more afterwards. */
    catchUp(names: Iterable<string>): void {
      const selected = [...names].flatMap((name) => lanes.get(name) ?? []);
      void each(selected, (lane) => void runNext(lane));
    },
    isRunning: (name: string) => lanes.get(name)?.running !== undefined,
    /** When a job runs next, or ticks after an instant, in milliseconds. */
    nextRunOf(name: string, after?: Instant): Instant | undefined {
      const lane = lanes.get(name);
      const retryAt = after === undefined ? lane?.retry?.at : undefined;
      return retryAt ?? lane?.ticking?.next(after);
    },
    /** Drops the retries that are waiting. */
    dropRetries(): void {
      for (const lane of lanes.values()) drop(lane);
    },
    /** Removes these jobs; resolves when none of them is running. */
    async retire(names: readonly string[]): Promise<void> {
      const going = names.flatMap((name) => lanes.get(name) ?? []);
      for (const lane of going) {
        if (lane.thoroughNext !== undefined || (lane.running !== undefined && lane.isThorough))
          unfinished.add(lane.job.name);
        lane.retired = true;
        lane.ticking?.stop();
        drop(lane);
        lanes.delete(lane.job.name);
      }
      await Promise.all(going.map((lane) => lane.thoroughNext ?? lane.running));
    },
    /** Adds new jobs, which run at once, and updates the schedules of the others. */
    adopt(jobs: readonly Job[]): void {
      const added: Lane[] = [];
      for (const job of jobs) {
        const known = lanes.get(job.name);
        if (known === undefined) {
          const lane = laneOf(job);
          lanes.set(job.name, lane);
          added.push(lane);
          continue;
        }
        const isOther = known.job.schedule !== job.schedule;
        known.job = job;
        if (isOther && known.ticking !== undefined && !stopped.signal.aborted) tick(known);
      }
      if (started && !stopped.signal.aborted) startLanes(added);
    },
    /** Stops the schedules; resolves when no job is running. */
    async stop(): Promise<void> {
      stopped.abort();
      begun.resolve();
      for (const lane of lanes.values()) {
        lane.ticking?.stop();
        drop(lane);
      }
      await Promise.all([...lanes.values()].map((lane) => lane.thoroughNext ?? lane.running));
    },
  };
}

function laneOf(job: Job): Lane {
  return {
    job,
    retired: false,
    begun: false,
    running: undefined,
    isThorough: false,
    thoroughNext: undefined,
    ticking: undefined,
    failures: 0,
    retry: undefined,
  };
}

function drop(lane: Lane): void {
  lane.retry?.dropped.abort();
  lane.retry = undefined;
}
