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

/** A roll-out has replaced the process that polls before, in milliseconds. */
const ROLL_OUT_MS = 300_000;

/** Interval between looks at what other processes have written, in milliseconds. */
const LOOK_MS = 1_000;

/** Takes part in the choice of a leader, if the store is shared. Resolves once it is known who leads. */
export async function takePart(core: Core, deployments: Polled): Promise<void> {
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
    traffic.restart();
    await restore(core, inUse());
    scheduler.catchUp(leading.takeMissed());
    await publishSafely();
  }

  /** Goes on within a term. */
  function goOn(rested?: 'rested'): void {
    if (isToBegin) safely('Taking over failed', begin);
    else scheduler.catchUp(leading.takeMissed(rested));
  }

  /** Others would take a figure about runs that nobody renews for the present state. */
  async function end(): Promise<void> {
    isToBegin = false;
    scheduler.dropRetries();
    for (const { org, collector } of jobsOf(inUse())) runs.forget(org, collector);
    for (const org of inUse().orgs.keys()) await instruments.forgetRuns(org);
    await restore(core, inUse());
    // A follower leaves out rows that were made under other settings.
    await publishSafely();
  }

  /** Of a change that was overtaken, the next one does the rest. */
  function safely(message: string, work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      if (!core.stopping.signal.aborted) logUnlessNotStored(log, message, error);
    });
  }

  await leadership.start({
    settings: () => settingsOf(inUse()),
    orgs: () => inUse().config.orgs.map(digestOf),
    onOtherSettings: () => safely('Publishing failed', publishSafely),
    onLead: () => safely('Taking over failed', begin),
    onResume: () => goOn(),
    onBeat: () => goOn('rested'),
    onEnd: () => safely('Handing over failed', end),
    onRefresh: () => void refresh(),
  });
  leading.decided();
  safely('Following the other processes failed', () => follow(core, deployments));
}

/** Publishes what other processes write, until the service stops. */
async function follow(core: Core, { inUse, publishSafely }: Polled): Promise<void> {
  const { history, clock, stopping, log } = core;
  const seen = new Map<string, string>();
  let polledAt = clock.elapsed();

  /** Two exporters that share a database by mistake look like a roll-out, which ends. */
  function noteNotPolled(): void {
    const orgs = core.notPolled();
    if (orgs.length === 0) polledAt = clock.elapsed();
    else if (clock.elapsed() - polledAt >= ROLL_OUT_MS) {
      // Said once.
      polledAt = Number.POSITIVE_INFINITY;
      log.error('The replica that polls has other organizations: nobody polls those of this one', {
        orgs: orgs.slice(0, MOST_NAMED).join(' '),
        number: orgs.length,
        hint: 'give both the same organizations, or this one another database or schema',
      });
    }
  }

  for (;;) {
    await clock.wait(LOOK_MS, stopping.signal);
    noteNotPolled();
    try {
      const revisions = await history.revisions();
      const changed = [...inUse().orgs.keys()].filter((org) => seen.get(org) !== revisions.get(org));
      for (const org of changed) seen.set(org, revisions.get(org) ?? '');
      await publishSafely(changed);
      for (const org of changed) await restoreRuns(core, inUse(), org);
    } catch (error) {
      logUnlessNotStored(log, 'What other processes have stored cannot be read', error);
    }
  }
}
