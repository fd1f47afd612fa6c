import type { DatasetName } from '../catalog/dataset.ts';
import { type OrgChanges, orgChanges } from '../config/changes.ts';
import type { LiveConfig } from '../config/config.ts';
import { createSerialQueue } from '../runtime/serial-queue.ts';
import type { Core } from './core.ts';
import { createDeployment, type Deployment } from './deployment.ts';
import { createFollowedFiles } from './followed-files.ts';
import { collectorsOfPeople, showSamePeople, showsOtherPeople, stripOldIdentities } from './people.ts';
import { logUnlessNotStored } from './store.ts';
import { introduce, jobsOf, prepareDeployment, putInUse, retire, startCounters } from './transition.ts';

/** The current deployment and its replacement. */
export interface Deployments {
  inUse(): Deployment;
  /**
   * Applies another configuration; rejects with a `ConfigError`, before anything has changed, if that is impossible.
   */
  apply(config: LiveConfig): Promise<OrgChanges>;
  /** Applies changed files, and removes identities that may no longer be stored. Never rejects. */
  followFiles(): Promise<void>;
  /** Publishes an organization with the current deployment; resolves at once if that does not contain it. */
  publishOrg(org: string, collectors: readonly string[]): Promise<void>;
  /** Publishes what another process has stored; logs a failure. */
  publishChanged(org: string, datasets: readonly DatasetName[]): Promise<void>;
  /** Publishes for all organizations what changes with time, and the named collectors' families. */
  publishAll(collectors: readonly string[]): Promise<void>;
  /** Like `publishAll`, but logs a failure. */
  publishSafely(collectors: readonly string[]): Promise<void>;
  /** Runs the named collectors, or all, including the revision window, as soon as they are idle. */
  refresh(collectors?: ReadonlySet<string>): Promise<void>;
}

interface DeploymentEvents {
  /** Called with why a watched file is not in use, or that it is in use again. */
  note(name: string, problem: string | undefined): void;
}

/** Creates the first deployment. */
export function createDeployments(config: LiveConfig, core: Core, { note }: DeploymentEvents): Deployments {
  const { log } = core;
  // The only reference that a reload replaces.
  let inUse = createDeployment(config, core);
  putInUse(inUse, core);
  startCounters(inUse, core);
  const files = createFollowedFiles(log, note);
  // A reload and a changed file must not replace the same deployment.
  const turns = createSerialQueue();

  async function apply(nextConfig: LiveConfig): Promise<OrgChanges> {
    const before = inUse;
    const next = await prepareDeployment(nextConfig, core, before);
    await replace(before, next, [...next.names]);
    return orgChanges(before.config, nextConfig);
  }

  /** Swaps the current deployment and publishes the named collectors. Never rejects: the new deployment is in use. */
  async function replace(before: Deployment, next: Deployment, names: readonly string[]): Promise<void> {
    inUse = next;
    putInUse(next, core, before);
    try {
      await retire(before, next, core);
      await introduce(next, core);
      await publishAll(names);
      await core.publication.flush();
    } catch (error) {
      if (!isEnding()) log.error('Applying the new settings was incomplete', { error });
    }
    if (showSamePeople(before, next)) return;
    log.info('Identity mode or teams changed; refetching the newest days');
    await stripSafely();
    const affected = collectorsOfPeople(next);
    await publishSafely([...affected]);
    // Not awaited: it depends on the platform.
    void refresh(affected);
  }

  async function followFiles(): Promise<void> {
    const before = inUse;
    await files.follow(before);
    if (!showsOtherPeople(before)) return stripSafely();
    const next = createDeployment(before.config, core, before);
    // Another amount of a budget is published without another request.
    await replace(before, next, showSamePeople(before, next) ? [...collectorsOfPeople(next)] : []);
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

  async function publishOrg(org: string, collectors: readonly string[]): Promise<void> {
    const settings = inUse.orgs.get(org)?.settings;
    if (settings !== undefined) await inUse.publisher.publish(settings, collectors);
  }

  async function publishChanged(org: string, datasets: readonly DatasetName[]): Promise<void> {
    const changed = inUse.collectors.filter(({ dataset }) => datasets.includes(dataset.name));
    await publishOrg(
      org,
      changed.map(({ name }) => name),
    ).catch((error: unknown) => report('Publishing failed', error));
  }

  async function publishAll(collectors: readonly string[]): Promise<void> {
    await Promise.all([...inUse.orgs.keys()].map((org) => publishOrg(org, collectors)));
  }

  async function publishSafely(collectors: readonly string[]): Promise<void> {
    await publishAll(collectors).catch((error: unknown) => report('Publishing failed', error));
  }

  function refresh(collectors?: ReadonlySet<string>): Promise<void> {
    return core.scheduler.refresh(new Set(jobsOf(inUse, collectors).map(({ name }) => name)));
  }

  return {
    inUse: () => inUse,
    apply: (next) => turns.run(() => apply(next)),
    followFiles: () => turns.run(followFiles),
    ...{ publishOrg, publishChanged, publishAll, publishSafely, refresh },
  };
}
