import type { ApiRequest } from '../catalog/source.ts';

/** Bounds one exchange from the first byte sent to the last one read. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Whether it was time, and nothing else, that ended the exchange. */
  expired(): boolean;
  clear(): void;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Starts a deadline of `ms` milliseconds that also ends with `parent`. It runs on real time, since what it
 * bounds is a socket.
 */
export function startDeadline(ms: number, parent: AbortSignal): Deadline {
  const controller = new AbortController();
  let expired = false;
  const timer = setTimeout(
    () => {
      expired = true;
      controller.abort();
    },
    Math.min(Math.max(ms, 1), LONGEST_TIMER_MS),
  );
  const abort = () => controller.abort();
  if (parent.aborted) abort();
  parent.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    expired: () => expired,
    clear() {
      clearTimeout(timer);
      parent.removeEventListener('abort', abort);
    },
  };
}

/** Aborted once nobody waits for the request any more. */
export function endOf({ signal }: ApiRequest, closed: AbortSignal): AbortSignal {
  return signal === undefined ? closed : AbortSignal.any([closed, signal]);
}
