import type { Clock } from '../../runtime/clock.ts';
import type { NotStored } from '../history.ts';

/** A statement without an answer from a server that does not answer new connections either. */
export class SilentServer extends Error {
  readonly problem: NotStored;

  constructor(problem: NotStored) {
    super(problem.message);
    this.name = 'SilentServer';
    this.problem = problem;
  }
}

/** Distinguishes a slow server from one that does not answer at all. */
interface SilenceWatch {
  /** Settles as the answer to a statement does, or rejects with a `SilentServer` as soon as the server is known to be silent. */
  heard<Result>(answer: Promise<Result>): Promise<Result>;
  close(): void;
}

interface SilenceWatchDeps {
  readonly clock: Pick<Clock, 'wait'>;
  /** Connects to the server; resolves with the problem if that takes too long. */
  probe(): Promise<NotStored | undefined>;
  /** Called with the problem before what waits is rejected with it. */
  onSilent(problem: NotStored): void;
}

/** Without any answer for this time, the server is asked for another one, in milliseconds. */
const QUIET_MS = 500;
/** Time between two probes of a server whose statements take longer, in milliseconds. */
const PROBE_MS = 5_000;

/** Creates a watch; it does nothing while no statement waits. */
export function createSilenceWatch({ clock, probe, onSilent }: SilenceWatchDeps): SilenceWatch {
  const closing = new AbortController();
  let silence = createSilence();
  let unanswered = 0;
  let answers = 0;
  let isWatching = false;

  async function watch(): Promise<void> {
    isWatching = true;
    while (unanswered > 0) {
      const before = answers;
      await clock.wait(QUIET_MS, closing.signal);
      if (unanswered === 0 || answers !== before) continue;
      const problem = await probe();
      if (answers !== before) continue;
      if (problem === undefined) {
        await clock.wait(PROBE_MS, closing.signal);
        continue;
      }
      const { reject } = silence;
      silence = createSilence();
      onSilent(problem);
      reject(new SilentServer(problem));
      break;
    }
    isWatching = false;
  }

  return {
    async heard(answer) {
      unanswered += 1;
      if (!isWatching) watch().catch(() => undefined); // Closed.
      try {
        const result = await Promise.race([answer, silence.promise]);
        answers += 1;
        return result;
      } finally {
        unanswered -= 1;
      }
    },
    close: () => closing.abort(),
  };
}

function createSilence(): PromiseWithResolvers<never> {
  const silence = Promise.withResolvers<never>();
  silence.promise.catch(() => undefined);
  return silence;
}
