import { DAY_MS, type Instant } from '../catalog/day.ts';
import type { Logger } from '../log/logger.ts';
import { messageOf } from '../text/errors.ts';
import { backoffMs } from '../work/backoff.ts';
import type { Clock } from '../work/clock.ts';
import type { Ticker, Ticking } from './ticker.ts';

/** `scheduled`: a usual run. `thorough`: a run on demand, which fetches everything again that may have changed. */
type RunMode = 'scheduled' | 'thorough';

/** Something that runs at start and then on a schedule, never concurrently with itself. */
export interface Job {
  /** Unique among the jobs. */
  readonly name: string;
  /** Cron expression of five fields, in UTC. */
  readonly schedule: string;
  /** The longest random delay of a scheduled run, in milliseconds. */
  readonly jitterMs: number;
  /**
   * Runs the job. After a failure that may pass by itself, resolves with the instant before which a retry is useless; the scheduler
   * then retries before the next tick.
   */
  run(mode: RunMode): Promise<Instant | undefined>;
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

/** Runs jobs on their schedules. Each job has a lane of its own, so that none delays another. Jobs may be added and removed. */
export class Scheduler {
  readonly #parts: SchedulerParts;
  #phase: 'created' | 'started' | 'stopped' = 'created';
  /** Resolves when the scheduler starts, or stops without a start. */
  readonly #begun = Promise.withResolvers<void>();
  readonly #stopping = new AbortController();
  readonly #lanes = new Map<string, Lane>();
  /** Jobs that were removed during a thorough run. If they are added again, the thorough run begins again. */
  readonly #unfinished = new Set<string>();
  /** Counts clock jumps. A tick whose random delay spans a jump is dropped, because an extra run follows the jump. */
  #jumps = 0;
  /** The extra runs after clock jumps: when the last one began, and whether another one is due. */
  #jumpRun = { at: Number.NEGATIVE_INFINITY, isDue: false };

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
  }

  /** Runs every job once and starts its schedule. */
  start(): void {
    this.#phase = 'started';
    this.#parts.ticker.onJump(() => void this.#onJump());
    this.#startLanes([...this.#lanes.values()]);
    this.#begun.resolve();
  }

  /** Runs jobs (all unless named) thoroughly as soon as they are free, after the start; resolves when all have ended. */
  async refresh(names?: ReadonlySet<string>): Promise<void> {
    await this.#begun.promise;
    const selected = [...this.#lanes.values()].filter(
      ({ job }) => names === undefined || names.has(job.name),
    );
    const running: Promise<void>[] = [];
    await this.#each(selected, (lane) => running.push(lane.runThoroughly()));
    await Promise.all(running);
  }

  /** Runs jobs as scheduled, but now. A running job runs once more afterwards. */
  catchUp(names: Iterable<string>): void {
    const selected = [...names].flatMap((name) => this.#lanes.get(name) ?? []);
    void this.#each(selected, (lane) => void lane.runNext());
  }

  isRunning(name: string): boolean {
    return this.#lanes.get(name)?.state.is === 'running';
  }

  /** When a job runs next; with `after`, its first tick after that instant. In milliseconds. */
  nextRunOf(name: string, after?: Instant): Instant | undefined {
    return this.#lanes.get(name)?.nextRun(after);
  }

  /** Drops all waiting retries. */
  dropRetries(): void {
    for (const lane of this.#lanes.values()) lane.dropRetry();
  }

  /** Removes these jobs; resolves when none of them is running. */
  async retire(names: readonly string[]): Promise<void> {
    const going = names.flatMap((name) => this.#lanes.get(name) ?? []);
    for (const lane of going) {
      if (lane.isThorough) this.#unfinished.add(lane.job.name);
      this.#lanes.delete(lane.job.name);
    }
    await Promise.all(going.map((lane) => lane.end()));
  }

  /** Adds new jobs, which run at once, and updates the schedules of the others. */
  adopt(jobs: readonly Job[]): void {
    const added: Lane[] = [];
    for (const job of jobs) {
      const known = this.#lanes.get(job.name);
      if (known === undefined) {
        const lane = new Lane(job, this.#parts);
        this.#lanes.set(job.name, lane);
        added.push(lane);
        continue;
      }
      const isOther = known.job.schedule !== job.schedule;
      known.job = job;
      if (isOther && this.#phase === 'started') known.start(() => this.#onTick(known));
    }
    if (this.#phase === 'started') this.#startLanes(added);
  }

  /** Stops the schedules; resolves when no job is running. */
  async stop(): Promise<void> {
    this.#phase = 'stopped';
    this.#stopping.abort();
    this.#begun.resolve();
    await Promise.all([...this.#lanes.values()].map((lane) => lane.end()));
  }

  /** Starts the schedules of these lanes, and runs those that have not run yet. */
  #startLanes(these: readonly Lane[]): void {
    for (const lane of these) lane.start(() => this.#onTick(lane));
    void this.#each(these, (lane) => {
      if (lane.state.is === 'new')
        void lane.run(this.#unfinished.delete(lane.job.name) ? 'thorough' : 'scheduled');
    });
  }

  /** Begins many runs in slices, because there may be thousands; skips lanes that are removed meanwhile. */
  async #each(these: Iterable<Lane>, begin: (lane: Lane) => void): Promise<void> {
    for (const lane of these) {
      if (this.#phase === 'stopped') return;
      if (!lane.ended.signal.aborted) begin(lane);
      // Awaited for each job, so that the synchronous work of its start counts for the slice.
      await this.#parts.clock.slices.next();
    }
  }

  #onTick(lane: Lane): void {
    const before = this.#jumps;
    void lane.runSoon(() => this.#jumps === before);
  }

  /**
   * Runs every job once, soon after the clock was changed or the process was suspended: ticks may have been missed, and
   * a new day may have begun. A run in progress may have begun on another day.
   */
  async #onJump(): Promise<void> {
    const { clock } = this.#parts;
    this.#jumps += 1;
    if (this.#jumpRun.isDue) return;
    this.#jumpRun.isDue = true;
    // If the scheduler stops meanwhile, no run begins below.
    const wait = Math.max(0, this.#jumpRun.at + JUMP_RUN_MS - clock.elapsed());
    await clock.wait(wait, this.#stopping.signal).catch(() => undefined);
    this.#jumpRun = { at: clock.elapsed(), isDue: false };
    for (const lane of this.#lanes.values()) void lane.runSoonAgain();
  }
}

/** A run in progress. */
interface Running {
  readonly is: 'running';
  readonly mode: RunMode;
  ended: Promise<void>;
  /** The thorough run that follows this run, if one is due. */
  next: PromiseWithResolvers<void> | undefined;
}

/** A retry of a failed run, which waits for its instant and can be dropped. */
interface Retrying {
  readonly is: 'retrying';
  readonly at: Instant;
  readonly dropped: AbortController;
}

/** `new`: has not run yet. */
type State = { readonly is: 'new' | 'idle' } | Running | Retrying;

/** The runs of one job, never two at a time. */
class Lane {
  readonly #parts: SchedulerParts;
  /** The job; a reload may replace it between runs. */
  job: Job;
  state: State = { is: 'new' };
  #ticking: Ticking | undefined;
  /** The number of consecutive failed runs that could be retried. */
  #failures = 0;
  /** Aborted once no further run may begin. */
  readonly ended = new AbortController();

  constructor(job: Job, parts: SchedulerParts) {
    this.job = job;
    this.#parts = parts;
  }

  /** Whether a thorough run is in progress or due. */
  get isThorough(): boolean {
    const state = this.state;
    return state.is === 'running' && (state.mode === 'thorough' || state.next !== undefined);
  }

  /** When the job runs next; with `after`, its first tick after that instant. In milliseconds. */
  nextRun(after?: Instant): Instant | undefined {
    const state = this.state;
    return after === undefined && state.is === 'retrying' ? state.at : this.#ticking?.next(after);
  }

  /** Starts the schedule; after the job was replaced, starts its new schedule. */
  start(onTick: () => void): void {
    this.#ticking?.stop();
    this.#ticking = this.#parts.ticker.start(this.job.schedule, onTick);
  }

  /** Runs the job, which is not running, now; resolves when that has ended. */
  run(mode: RunMode): Promise<void> {
    this.dropRetry();
    const running: Running = { is: 'running', mode, ended: Promise.resolve(), next: undefined };
    this.state = running;
    running.ended = this.#perform(running);
    return running.ended;
  }

  /** Runs the job thoroughly, now or after the run in progress; resolves when that has ended. */
  runThoroughly(): Promise<void> {
    const state = this.state;
    if (state.is !== 'running') return this.run('thorough');
    state.next ??= Promise.withResolvers();
    return state.next.promise;
  }

  /** Runs the job as scheduled, now or after the run in progress. */
  async runNext(): Promise<void> {
    await this.#whenFree();
    if (this.state.is !== 'running' && !this.ended.signal.aborted) await this.run('scheduled');
  }

  /** Runs the job after its jitter, if it is still wanted and not running then. */
  async runSoon(isWanted = () => true): Promise<void> {
    const { clock, random, log } = this.#parts;
    try {
      await clock.wait(random() * this.job.jitterMs, this.ended.signal);
    } catch {
      return; // Ended meanwhile.
    }
    if (this.ended.signal.aborted || !isWanted()) return;
    if (this.state.is === 'running')
      log.debug('Previous run still in progress; skipping tick', { job: this.job.name });
    else await this.run('scheduled');
  }

  /** Runs the job soon after the run in progress. */
  async runSoonAgain(): Promise<void> {
    await this.#whenFree();
    await this.runSoon();
  }

  /** Drops the waiting retry. */
  dropRetry(): void {
    if (this.state.is !== 'retrying') return;
    this.state.dropped.abort();
    this.state = { is: 'idle' };
  }

  /** Begins no further run; resolves when none is in progress. */
  async end(): Promise<void> {
    this.ended.abort();
    this.#ticking?.stop();
    this.dropRetry();
    await this.#whenFree();
  }

  async #whenFree(): Promise<void> {
    if (this.state.is === 'running') await this.state.ended;
  }

  async #perform(running: Running): Promise<void> {
    let notBefore: Instant | undefined;
    try {
      notBefore = await this.job.run(running.mode);
      this.#failures = notBefore === undefined ? 0 : this.#failures + 1;
    } catch (thrown) {
      this.#parts.log.error('Job failed unexpectedly', { job: this.job.name, error: messageOf(thrown) });
    }
    this.state = { is: 'idle' };
    if (this.ended.signal.aborted) running.next?.resolve();
    else if (running.next !== undefined) running.next.resolve(this.run('thorough'));
    else if (notBefore !== undefined) void this.#retryLater(notBefore);
  }

  /** Retries the job after a pause, unless the next tick comes first. */
  async #retryLater(notBefore: Instant): Promise<void> {
    const { clock, random } = this.#parts;
    const now = clock.now();
    const tick = this.#ticking?.next();
    const pause = Math.max(backoffMs(this.#failures - 1, RETRY), notBefore - now);
    const at = now + pause + random() * this.job.jitterMs;
    if (tick === undefined || at >= tick) return;
    const dropped = new AbortController();
    this.state = { is: 'retrying', at, dropped };
    await clock.wait(at - now, dropped.signal).catch(() => undefined);
    if (!dropped.signal.aborted) await this.run('scheduled');
  }
}
