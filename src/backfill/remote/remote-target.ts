import type { BackfillTarget } from '../target.ts';
import type { Acknowledged } from './acknowledged.ts';
import { createSender, type SenderDeps } from './sender.ts';

interface RemoteTargetDeps extends SenderDeps {
  readonly acknowledged: Acknowledged;
}

/** How long a run that is being stopped waits for answers. */
const GRACE_MS = 3000;

/** Sends past samples by remote write, and records what was acknowledged. */
export function createRemoteTarget(deps: RemoteTargetDeps): BackfillTarget {
  const { acknowledged } = deps;
  const sender = createSender(deps);

  async function abandon(): Promise<void> {
    await sender.abort();
    await acknowledged.save();
  }

  return {
    get samples() {
      return sender.acknowledged;
    },
    stretches: (months) => months,
    missing: acknowledged.missing,
    begin: async () => true,
    add: sender.add,
    added: (subjects, stamps) => sender.whenAcknowledged(() => acknowledged.note(subjects, stamps)),
    end: async () => undefined,
    async finish() {
      await sender.flush();
      await acknowledged.save();
    },
    abandon,
    async interrupt() {
      const ended = new AbortController();
      const grace = deps.clock.wait(GRACE_MS, ended.signal).catch(() => undefined);
      await Promise.race([sender.flush().catch(() => undefined), grace]);
      ended.abort();
      await abandon();
    },
  };
}
