import type { Core } from './core.ts';
import type { Deployment } from './deployment.ts';
import type { Deployments } from './deployments.ts';
import { digestOf } from './polled-orgs.ts';
import { restore, restoreRuns } from './restore.ts';
import { logUnlessNotStored } from './store.ts';
import { jobsOf } from './transition.ts';

type Polled = Pick<Deployments, 'inUse' | 'publishSafely' | 'refresh'>;

/** Fingerprint of the settings that shape what is stored. */
function settingsOf({ people }: Deployment): string {
  return JSON.stringify([people.identity, people.teamRules]);
}

/** Maximum number of organizations in a line of the log. */
const MOST_NAMED = 10;

/** The longest time for which a leader with other organizations counts as a roll-out and is not logged, in milliseconds. */
const ROLL_OUT_MS = 300_000;

/** Interval between checks for data that other processes have written, in milliseconds. */
const LOOK_MS = 1_000;

/** This process as one of several that share a store. Without a shared store, it always leads. */
export class Replica {
  readonly #core: Core;
  readonly #deployments: Polled;
  /** Whether a term has not begun yet because the database was lost again. */
  #isToBegin = false;
  /** By organization, the revision that was published last. */
  readonly #seen = new Map<string, string>();
  /** The last time at which some process polled every organization; infinite once the contrary was logged. */
  #polledAt: number;

  constructor(core: Core, deployments: Polled) {
    this.#core = core;
    this.#deployments = deployments;
    this.#polledAt = core.clock.elapsed();
  }

  /** Takes part in leadership if the store is shared. Resolves once the leader is known. */
  async start(): Promise<void> {
    const { store, leading } = this.#core;
    if (store.leadership === undefined) return;
    const deployments = this.#deployments;
    await store.leadership.start({
      settings: () => settingsOf(deployments.inUse),
      orgs: () => deployments.inUse.config.orgs.map(digestOf),
      onOtherSettings: () => this.#safely('Publishing failed', () => deployments.publishSafely()),
      onLead: () => this.#safely('Taking over failed', () => this.#begin()),
      onResume: () => this.#goOn(),
      onBeat: () => this.#goOn('rested'),
      onEnd: () => this.#safely('Handing over failed', () => this.#end()),
      onRefresh: () => void deployments.refresh(),
    });
    leading.decided();
    this.#polledAt = this.#core.clock.elapsed();
    this.#safely('Following the other processes failed', () => this.#follow());
  }

  /** Begins a term like the start of a process: runs every collector once. */
  async #begin(): Promise<void> {
    const { leading, traffic, scheduler } = this.#core;
    const { inUse } = this.#deployments;
    this.#isToBegin = false;
    try {
      for (const { name } of jobsOf(inUse)) leading.missed(name);
      traffic.restart();
      await restore(this.#core, this.#deployments.inUse);
      scheduler.catchUp(leading.takeMissed());
      await this.#deployments.publishSafely();
    } catch (error) {
      this.#isToBegin = true;
      throw error;
    }
  }

  /** Continues a term after a lost connection. */
  #goOn(rested?: 'rested'): void {
    const { scheduler, leading } = this.#core;
    if (this.#isToBegin) this.#safely('Taking over failed', () => this.#begin());
    else scheduler.catchUp(leading.takeMissed(rested));
  }

  /** Ends a term: removes the metrics about runs, which this process no longer updates. */
  async #end(): Promise<void> {
    const { scheduler, runs, instruments } = this.#core;
    scheduler.dropRetries();
    for (const { org, collector } of jobsOf(this.#deployments.inUse)) runs.forget(org, collector);
    for (const org of this.#deployments.inUse.orgs.keys()) await instruments.forgetRuns(org);
    await restore(this.#core, this.#deployments.inUse);
    // A follower hides rows that were made with other settings.
    await this.#deployments.publishSafely();
  }

  /** Publishes the data that other processes write, until the service stops. */
  async #follow(): Promise<void> {
    const { history, clock, stopping, log } = this.#core;
    const deployments = this.#deployments;
    for (;;) {
      await clock.wait(LOOK_MS, stopping.signal);
      this.#noteNotPolled();
      try {
        const revisions = await history.revisions();
        const orgs = [...deployments.inUse.orgs.keys()];
        const changed = orgs.filter((org) => this.#seen.get(org) !== revisions.get(org));
        for (const org of changed) this.#seen.set(org, revisions.get(org) ?? '');
        await deployments.publishSafely(changed);
        for (const org of changed) await restoreRuns(this.#core, deployments.inUse, org);
      } catch (error) {
        logUnlessNotStored(log, 'What other processes have stored cannot be read', error);
      }
    }
  }

  /** Logs organizations that no process polls for longer than a roll-out: two exporters may share a database by mistake. */
  #noteNotPolled(): void {
    const { clock, log } = this.#core;
    const orgs = this.#core.notPolled();
    if (orgs.length === 0) this.#polledAt = clock.elapsed();
    else if (clock.elapsed() - this.#polledAt >= ROLL_OUT_MS) {
      this.#polledAt = Number.POSITIVE_INFINITY;
      log.error('The replica that polls has other organizations: nobody polls those of this one', {
        orgs: orgs.slice(0, MOST_NAMED).join(' '),
        number: orgs.length,
        hint: 'give both the same organizations, or this one another database or schema',
      });
    }
  }

  /** Starts work without waiting. Logs a failure, except a `NotStored`: if leadership has changed, the next event does the rest. */
  #safely(message: string, work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      if (!this.#core.stopping.signal.aborted) logUnlessNotStored(this.#core.log, message, error);
    });
  }
}
