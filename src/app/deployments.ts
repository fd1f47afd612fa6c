import { type OrgChanges, orgChanges } from '../config/changes.ts';
import type { LiveConfig } from '../config/config.ts';
import { createSerialQueue } from '../runtime/serial-queue.ts';
import type { Core } from './core.ts';
import { createDeployment, type Deployment } from './deployment.ts';
import { createFollowedFiles } from './followed-files.ts';
import { collectorsOfPeople, showSamePeople, showsOtherPeople, stripOldIdentities } from './people.ts';
import { introduce, jobsOf, prepareDeployment, putInUse, retire, startCounters } from './transition.ts';

/** The deployment in use, and what takes its place. */
export interface Deployments {
  inUse(): Deployment;
  /** Puts another configuration in use; rejects with a `ConfigError`, before anything has changed, where it cannot be. */
  apply(config: LiveConfig): Promise<OrgChanges>;
  /** Puts files in use that have changed, and drops what may no longer be kept of people. Never rejects. */
  followFiles(): Promise<void>;
  /** Publishes an organization by the deployment in use; resolves at once where that has none. */
  publishOrg(org: string, collectors: readonly string[]): Promise<void>;
  /** Publishes what time has changed of all organizations, and the named collectors' families. */
  publishAll(collectors: readonly string[]): Promise<void>;
  /** The same; a failure is logged. */
  publishSafely(collectors: readonly string[]): Promise<void>;
  /** Runs collectors, all unless named, thoroughly as soon as they are free. */
  refresh(collectors?: ReadonlySet<string>): Promise<void>;
}

/** Puts the first deployment in use; `note` records why a file that is followed is not in use, or that it is again. */
export function createDeployments(
  config: LiveConfig,
  core: Core,
  note: (name: string, problem: string | undefined) => void,
): Deployments {
  const { log } = core;
  // The one reference that a reload replaces.
  let inUse = createDeployment(config, core);
  putInUse(inUse, core);
  startCounters(inUse, core);
  const files = createFollowedFiles(log, note);
  // A reload and a file that is followed must not replace the same deployment.
  const turns = createSerialQueue();

  async function apply(nextConfig: LiveConfig): Promise<OrgChanges> {
    const before = inUse;
    const next = await prepareDeployment(nextConfig, core, before);
    await replace(before, next, [...next.names]);
    return orgChanges(before.config, nextConfig);
  }

  /** Swaps the deployment in use, and publishes the named collectors anew. Never rejects: the next one is in use. */
  async function replace(before: Deployment, next: Deployment, names: readonly string[]): Promise<void> {
    inUse = next;
    putInUse(next, core, before);
    try {
      await retire(before, next, core);
      await introduce(next, core);
      await publishAll(names);
      core.publication.flush();
    } catch (error) {
      log.error('Applying the new settings was incomplete', { error });
    }
    if (showSamePeople(before, next)) return;
    log.info('Identity mode or teams changed; refetching the newest days');
    await stripSafely();
    const affected = collectorsOfPeople(next);
    await publishSafely([...affected]);
    // Not waited for: it takes as long as the platform does.
    void refresh(affected);
  }

  async function followFiles(): Promise<void> {
    const before = inUse;
    await files.follow(before);
    if (showsOtherPeople(before)) await replace(before, createDeployment(before.config, core, before), []);
    else await stripSafely();
  }

  async function stripSafely(): Promise<void> {
    await stripOldIdentities(inUse, core).catch((error: unknown) =>
      log.error('History sweep failed', { error }),
    );
  }

  async function publishOrg(org: string, collectors: readonly string[]): Promise<void> {
    const settings = inUse.orgs.get(org)?.settings;
    if (settings !== undefined) await inUse.publisher.publish(settings, collectors);
  }

  async function publishAll(collectors: readonly string[]): Promise<void> {
    await Promise.all([...inUse.orgs.keys()].map((org) => publishOrg(org, collectors)));
  }

  async function publishSafely(collectors: readonly string[]): Promise<void> {
    await publishAll(collectors).catch((error: unknown) => log.error('Publishing failed', { error }));
  }

  function refresh(collectors?: ReadonlySet<string>): Promise<void> {
    return core.scheduler.refresh(new Set(jobsOf(inUse, collectors).map(({ name }) => name)));
  }

  return {
    inUse: () => inUse,
    apply: (next) => turns.run(() => apply(next)),
    followFiles: () => turns.run(followFiles),
    ...{ publishOrg, publishAll, publishSafely, refresh },
  };
}
