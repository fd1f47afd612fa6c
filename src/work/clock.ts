import { createSlices, type Slices } from './slices.ts';

/** The only source of real time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Monotonic milliseconds from an arbitrary start. */
  elapsed(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when aborted. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** The slices of all long work of the process: slices of their own would add up to a long block of the event loop. */
  readonly slices: Slices;
}

/** The machine's clock; `elapsed` counts from the start of the process. It loads nothing, for short-lived programs. */
export function createSystemClock(): Clock {
  const elapsed = () => process.uptime() * 1000;
  return { now: () => Date.now(), elapsed, wait, slices: createSlices({ elapsed }) };
}

function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', aborted, { once: true });
    function done(): void {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }
    function aborted(): void {
      clearTimeout(timer);
      reject(signal?.reason);
    }
  });
}
