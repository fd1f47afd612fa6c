import { setTimeout as pause } from 'node:timers/promises';
import { QUIET_AFTER_MS, QUIET_SECONDS } from './limits.ts';
import { demandBelow } from './processes.ts';

/** The part of a second in which something else than looking at the clock is at work. */
const BUSY_SHARE = 0.1;
const SECOND_MS = 1_000;

/**
 * Waits a second; resolves with whether this process and the programs that it started neither ran nor waited for a processor
 * in it. On a machine that is busy with others, they wait, so that being quiet does not depend on its speed.
 */
export async function wasQuietForSecond(): Promise<boolean> {
  const before = demandBelow(process.pid);
  const startedAt = performance.now();
  await pause(SECOND_MS);
  const took = performance.now() - startedAt;
  const after = demandBelow(process.pid);
  // A process or a thread that began or ended did something.
  if (before === undefined || after === undefined || before.size !== after.size) return false;
  let demand = 0;
  for (const [thread, ms] of after) demand += ms - (before.get(thread) ?? Number.NEGATIVE_INFINITY);
  // A second that lasted longer was one in which nobody ran.
  return took < 2 * SECOND_MS && demand < BUSY_SHARE * SECOND_MS;
}

/** Looks, after a while, for as many quiet seconds in a row as end a wait; `quiet` then rejects. */
export function watchForQuiet(): { readonly quiet: Promise<never>; stop(): void } {
  const { promise: quiet, reject } = Promise.withResolvers<never>();
  quiet.catch(() => undefined);
  let isOver = false;
  async function watch(): Promise<void> {
    for (let seconds = 0; !isOver && seconds < QUIET_SECONDS; )
      seconds = (await wasQuietForSecond()) ? seconds + 1 : 0;
    reject(new Error(`nothing has run for ${QUIET_SECONDS} s, and the test has not ended`));
  }
  const timer = setTimeout(() => void watch(), QUIET_AFTER_MS).unref();
  return {
    quiet,
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
