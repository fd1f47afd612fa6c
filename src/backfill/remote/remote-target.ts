import type { BackfillTarget } from '../target.ts';
import type { Acknowledged } from './acknowledged.ts';
import { createSender, type SenderDeps } from './sender.ts';

export interface RemoteTargetDeps extends SenderDeps {
  readonly acknowledged: Acknowledged;
}

/** Sends past samples by remote write, and remembers what was acknowledged. */
export function createRemoteTarget(deps: RemoteTargetDeps): BackfillTarget {
  const { acknowledged } = deps;
  const sender = createSender(deps);

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
    async abandon() {
      await sender.abort();
      await acknowledged.save();
    },
  };
}
