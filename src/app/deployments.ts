import { orgChanges } from '../config/changes.ts';
import type { LiveConfig } from '../config/config.ts';
import type { Watched } from '../config/followed.ts';
import type { RunState } from '../pipeline/run-states.ts';
import { ConfigError, messageOf } from '../text/errors.ts';
import { createSerialQueue } from '../work/serial-queue.ts';
import type { Core } from './core.ts';
import { createDeployment, type Deployment } from './deployment.ts';
import { jobName } from './job.ts';
import { collectorsOfPeople, showSamePeople, showsOtherPeople, stripOldIdentities } from './people.ts';
import { restore } from './restore.ts';
import { logUnlessNotStored } from './store.ts';
import { closeConnections, connect, jobsOf, putInUse, retire, startCounters } from './transition.ts';

/** The current deployment and its replacement. */
export type Deployments = ReturnType<typeof createDeployments>;

/** Creates the first deployment. */
export function createDeployments(config: LiveConfig, core: Core) {
  const { log } = core;
  // The only reference that a reload replaces.
  let inUse = createDeployment(config, core);
  putInUse(inUse, core);
  startCounters(inUse, core);
  // A reload and a changed file must not replace the same deployment.
  const queue = createSerialQueue();

  async function apply(nextConfig: LiveConfig) {
    const before = inUse;
    const next = createDeployment(nextConfig, core, before);
    try {
      await connect(next, core);
    } catch (error) {
      closeConnections(next, before);
      throw error;
    }
    const missed = await replace(before, next);
    return { changes: orgChanges(before.config, nextConfig), missed };
  }

  /**
   * Swaps the current deployment and publishes with it. Never rejects, since the new deployment is in use; resolves with why
   * it is not applied wholly, if so.
   */
  async function replace(before: Deployment, next: Deployment): Promise<string | undefined> {
    inUse = next;
    putInUse(next, core, before);
    const isOthers = !showSamePeople(before.people, next.people);
    let missed: string | undefined;
    try {
      await retire(before, next, core);
      startCounters(next, core);
      // New jobs run at once, also if the store cannot be read now; the others keep their schedule.
      await restore(core, next).finally(() => core.scheduler.adopt([...next.jobs.values()]));
      await publishAll();
      await core.publication.flush();
      if (isOthers) {
        await stripOldIdentities(next, core);
        await publishAll();
      }
    } catch (error) {
      if (!isEnding()) log.error('Applying the new settings was incomplete', { error });
      missed = messageOf(error);
    }
    if (isOthers) {
      log.info('Identity mode or teams changed; refetching the newest days');
      // Not awaited: it depends on the platform.
      void refresh(collectorsOfPeople(next));
    }
    return missed;
  }

  /** The files that apply without a reload: about people, and the API keys. */
  function* watched(): Iterable<Watched> {
    yield { name: 'the files about people', look: () => queue.run(followPeople) };
    for (const [org, { connection }] of inUse.orgs) {
      yield {
        name: `the key file of ${org}`,
        // Key files are read before each request, too.
        async look() {
          const jobs = failingOrRunning(org);
          if (jobs.length > 0) await connection.credential.refresh().catch(() => undefined);
          const problem = connection.credential.problem();
          if (problem !== undefined) throw new ConfigError(problem, 'write a valid API key to the file');
          if (jobs.length === 0 || !connection.isRekeyed()) return false;
          core.scheduler.catchUp(jobs);
          return true;
        },
      };
    }
  }

  /** The jobs of an organization that another key may help; one that is running may have sent the previous key. */
  function failingOrRunning(org: string): readonly string[] {
    const isMeant = ({ running, failure }: RunState) => running || failure !== undefined;
    return inUse.fetching
      .filter(({ name }) => isMeant(core.runs.get(org, name)))
      .map(({ name }) => jobName(org, name));
  }

  /** Applies changed files about people; resolves with whether there were any, rejects with why one cannot be used. */
  async function followPeople(): Promise<boolean> {
    const before = inUse;
    try {
      return await before.config.people.refresh();
    } finally {
      // One unusable file does not block the other.
      if (showsOtherPeople(before)) await replace(before, createDeployment(before.config, core, before));
    }
  }

  async function stripSafely(): Promise<void> {
    await stripOldIdentities(inUse, core).catch((error: unknown) => report('History sweep failed', error));
  }

  /** True while the service ends: reads of a store that is not open yet then fail on purpose. */
  function isEnding(): boolean {
    return core.stopping.signal.aborted;
  }

  function report(message: string, error: unknown): void {
    if (!isEnding()) logUnlessNotStored(log, message, error);
  }

  /** Publishes an organization with the current deployment; resolves at once if that does not contain it. */
  async function publishOrg(org: string): Promise<void> {
    const settings = inUse.orgs.get(org)?.settings;
    if (settings !== undefined) await inUse.publisher.publish(settings);
  }

  /** Publishes these organizations, by default all, where anything has changed. */
  async function publishAll(orgs: Iterable<string> = inUse.orgs.keys()): Promise<void> {
    await Promise.all([...orgs].map(publishOrg));
  }

  /** Like `publishAll`, but logs a failure. */
  async function publishSafely(orgs?: Iterable<string>): Promise<void> {
    await publishAll(orgs).catch((error: unknown) => report('Publishing failed', error));
  }

  /** Runs the named collectors, or all, including the revision window, as soon as they are idle. */
  function refresh(collectors?: ReadonlySet<string>): Promise<void> {
    return core.scheduler.refresh(new Set(jobsOf(inUse, collectors).map(({ name }) => name)));
  }

  return {
    inUse: () => inUse,
    /** Applies another configuration; rejects with a `ConfigError`, before anything has changed, if that is impossible. */
    apply: (next: LiveConfig) => queue.run(() => apply(next)),
    /** Removes identities that may no longer be stored. Never rejects. */
    stripIdentities: () => queue.run(stripSafely),
    watched,
    publishOrg,
    publishAll,
    publishSafely,
    refresh,
  };
}
