import { type LiveConfig, type OrgChanges, orgChanges } from '../config/config.ts';
import type { Watched } from '../config/followed.ts';
import type { RunState } from '../pipeline/run-states.ts';
import { ConfigError, messageOf } from '../text/errors.ts';
import { createSerialQueue } from '../work/serial-queue.ts';
import type { Core } from './core.ts';
import { createDeployment, type Deployment } from './deployment.ts';
import { jobName } from './job.ts';
import { type DeployedOrg, showSamePeople } from './org.ts';
import { collectorsOfPeople, showsOtherPeople, stripOldIdentities } from './people.ts';
import { noteOversights } from './reload.ts';
import { restore } from './restore.ts';
import { logUnlessNotStored } from './store.ts';
import { closeConnections, connect, jobsOf, putInUse, retire, startCounters } from './transition.ts';

/** The deployment in use and its replacement. */
export class Deployments {
  readonly #core: Core;
  /** Runs one change at a time, so that a reload and a changed file do not both replace the same deployment. */
  readonly #queue = createSerialQueue();
  /** The only reference that a reload replaces. */
  #inUse: Deployment;

  /** Creates the first deployment and puts it in use. */
  constructor(config: LiveConfig, core: Core) {
    this.#core = core;
    this.#inUse = createDeployment(config, core);
    putInUse(this.#inUse, core);
    startCounters(this.#inUse, core);
  }

  get inUse(): Deployment {
    return this.#inUse;
  }

  /** Applies another configuration; rejects with a `ConfigError`, before anything has changed, if that is impossible. */
  apply(next: LiveConfig): Promise<{ readonly changes: OrgChanges; readonly missed: string | undefined }> {
    return this.#queue.run(async () => {
      const before = this.#inUse;
      const deployment = createDeployment(next, this.#core, before);
      try {
        await connect(deployment, this.#core);
      } catch (error) {
        closeConnections(deployment, before);
        throw error;
      }
      const missed = await this.#replace(before, deployment);
      return { changes: orgChanges(before.config, next), missed };
    });
  }

  /** Removes identities that may no longer be stored. Never rejects. */
  stripIdentities(): Promise<void> {
    return this.#queue.run(() =>
      stripOldIdentities(this.#inUse, this.#core).catch((error: unknown) =>
        this.#report('History sweep failed', error),
      ),
    );
  }

  /** The files whose changes apply without a reload: teams files and API keys. */
  *watched(): Iterable<Watched> {
    yield { name: 'the files about people', look: () => this.#queue.run(() => this.#followPeople()) };
    for (const [org, { connection }] of this.#inUse.orgs)
      yield { name: `the key file of ${org}`, look: () => this.#followKey(org, connection) };
  }

  /** Publishes what has changed; logs a failure. */
  async publishSafely(orgs?: Iterable<string>): Promise<void> {
    await this.#core.publisher
      .publishAll(orgs)
      .catch((error: unknown) => this.#report('Publishing failed', error));
  }

  /** Runs the named collectors, or all, including the revision window, as soon as they are idle. */
  refresh(collectors?: ReadonlySet<string>): Promise<void> {
    return this.#core.scheduler.refresh(new Set(jobsOf(this.#inUse, collectors).map(({ name }) => name)));
  }

  /**
   * Swaps the deployment in use and publishes with the new one. Never rejects, because the new deployment is already in use. If a
   * step fails, resolves with the reason.
   */
  async #replace(before: Deployment, next: Deployment): Promise<string | undefined> {
    const core = this.#core;
    const { log, publisher, page, scheduler } = core;
    this.#inUse = next;
    putInUse(next, core, before);
    const isOthers = !showSamePeople(before.people, next.people);
    let missed: string | undefined;
    try {
      await retire(before, next, core);
      startCounters(next, core);
      // New jobs run at once, even if the store cannot be read now; all others keep their schedule.
      await restore(core, next).finally(() => scheduler.adopt([...next.jobs.values()]));
      await publisher.publishAll();
      await page.flush();
      if (isOthers) {
        await stripOldIdentities(next, core);
        await publisher.publishAll();
      }
    } catch (error) {
      if (!this.#isEnding()) log.error('Applying the new settings was incomplete', { error });
      missed = messageOf(error);
    }
    if (isOthers) {
      log.info('Identity mode or teams changed; refetching the newest days');
      // Not awaited, because the platform decides how long it takes.
      void this.refresh(collectorsOfPeople(next));
    }
    return missed;
  }

  /** Runs the collectors that a changed key file may help. (The client reads key files before each request anyway.) */
  async #followKey(org: string, { credential, isRekeyed }: DeployedOrg['connection']): Promise<boolean> {
    const jobs = this.#failingOrRunning(org);
    if (jobs.length > 0) await credential.refresh().catch(() => undefined);
    const problem = credential.problem();
    if (problem !== undefined) throw new ConfigError(problem, 'write a valid API key to the file');
    if (jobs.length === 0 || !isRekeyed()) return false;
    this.#core.scheduler.catchUp(jobs);
    return true;
  }

  /** The jobs of an organization that a new key may help. A running job counts, because it may have sent the previous key. */
  #failingOrRunning(org: string): readonly string[] {
    const isMeant = ({ running, failure }: RunState) => running || failure !== undefined;
    return this.#inUse.fetching
      .filter(({ name }) => isMeant(this.#core.runs.get(org, name)))
      .map(({ name }) => jobName(org, name));
  }

  /** Applies changed teams files; resolves with whether any has changed. Rejects if a file is unusable. */
  async #followPeople(): Promise<boolean> {
    const before = this.#inUse;
    const { config } = before;
    try {
      return await config.people.refresh();
    } finally {
      // An unusable file does not block the others.
      if (showsOtherPeople(before)) {
        noteOversights(config, this.#core.log);
        await this.#replace(before, createDeployment(config, this.#core, before));
      }
    }
  }

  /** True during shutdown: reads of a store that is not open yet then fail on purpose. */
  #isEnding(): boolean {
    return this.#core.stopping.signal.aborted;
  }

  #report(message: string, error: unknown): void {
    if (!this.#isEnding()) logUnlessNotStored(this.#core.log, message, error);
  }
}
