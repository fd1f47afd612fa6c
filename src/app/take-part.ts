import type { Core } from './core.ts';
import type { Deployment } from './deployment.ts';
import type { Deployments } from './deployments.ts';
import { collectorsOfPeople } from './people.ts';
import { restore } from './restore.ts';
import { logUnlessNotStored } from './store.ts';
import { jobsOf } from './transition.ts';

/** Fingerprint of the settings that shape what is stored. */
function settingsOf({ people }: Deployment): string {
  return JSON.stringify([people.identity, people.teamRules]);
}

/** Takes part in the choice of a leader, if the store is shared. Resolves once it is known who leads. */
export async function takePart(core: Core, deployments: Deployments): Promise<void> {
  const { store, leading, scheduler, traffic, instruments, runs, log } = core;
  const { leadership } = store;
  if (leadership === undefined) return;
  const { inUse, publishSafely, refresh } = deployments;

  /** Whether the term could not begin, since the database went away again. */
  let isToBegin = false;

  /** Begins as at the start of a process: runs every collector once. */
  async function begin(): Promise<void> {
    isToBegin = false;
    try {
      await takeOver();
    } catch (error) {
      isToBegin = true;
      throw error;
    }
  }

  async function takeOver(): Promise<void> {
    for (const { name } of jobsOf(inUse())) leading.missed(name);
    await store.catchUp?.();
    traffic.restart();
    await restore(core, inUse());
    scheduler.catchUp(leading.takeMissed());
    await publishPeople(inUse());
  }

  /** Goes on within a term. */
  function goOn(rested?: 'rested'): void {
    if (isToBegin) safely('Taking over failed', begin);
    else scheduler.catchUp(leading.takeMissed(rested));
  }

  /** Others would take a figure about runs that nobody renews for the present state. */
  async function end(): Promise<void> {
    isToBegin = false;
    for (const { org, collector } of jobsOf(inUse())) runs.forget(org, collector);
    for (const org of inUse().orgs.keys()) await instruments.forgetRuns(org);
    await restore(core, inUse());
    await publishPeople(inUse());
  }

  /** A follower leaves out rows that were made under other settings. */
  async function publishPeople(deployment: Deployment): Promise<void> {
    await publishSafely([...collectorsOfPeople(deployment)]);
  }

  /** Of a change that was overtaken, the next one does the rest. */
  function safely(message: string, work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      if (!core.stopping.signal.aborted) logUnlessNotStored(log, message, error);
    });
  }

  await leadership.start({
    settings: () => settingsOf(inUse()),
    onOtherSettings: () => safely('Publishing failed', () => publishPeople(inUse())),
    onLead: () => safely('Taking over failed', begin),
    onResume: () => goOn(),
    onBeat: () => goOn('rested'),
    onEnd: () => safely('Handing over failed', end),
    onRefresh: () => void refresh(),
  });
  leading.decided();
  core.onTried();
}
