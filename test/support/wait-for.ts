import { setTimeout as pause } from 'node:timers/promises';
import { QUIET_AFTER_MS, QUIET_SECONDS, WAIT_LIMIT_MS } from './limits.ts';
import { wasQuietForSecond } from './quiet.ts';

const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 100;
/** What a wait may take whose shared limit is over. */
const SHORTEST_WAIT_MS = 1000;

interface WaitOptions {
  /** What is awaited, in words; the condition's own code by default. */
  readonly what?: string;
  /** Describes the current state instead; the condition's last error by default. */
  readonly seen?: () => unknown;
  /** The log of what the condition depends on. Logs given to `keepLog` are printed for every failed test anyway. */
  readonly log?: () => string;
  readonly limitMs?: number;
}

/**
 * Waits until the condition neither throws nor returns `false`, and returns its result. It is the only way in which tests
 * wait for something that happens concurrently.
 */
export async function waitFor<Result>(
  condition: () => Result | Promise<Result>,
  { what, seen, log, limitMs = WAIT_LIMIT_MS }: WaitOptions = {},
): Promise<Exclude<Result, false>> {
  const begin = performance.now();
  const end = begin + limitMs;
  let quietSeconds = 0;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    let failure: unknown = 'false';
    try {
      const result = await condition();
      if (result !== false) return result as Exclude<Result, false>;
    } catch (error) {
      failure = error;
    }
    if (performance.now() >= end || quietSeconds >= QUIET_SECONDS) throw overdue(failure);
    if (performance.now() < begin + QUIET_AFTER_MS || QUIET_SECONDS === Number.POSITIVE_INFINITY)
      await pause(pauseMs);
    else quietSeconds = (await wasQuietForSecond()) ? quietSeconds + 1 : 0;
  }

  function overdue(failure: unknown): Error {
    const lines = [
      quietSeconds < QUIET_SECONDS
        ? `still awaited after ${limitMs / 1000} s: ${what ?? sourceOf(condition)}`
        : `still awaited, and nothing has run for ${quietSeconds} s: ${what ?? sourceOf(condition)}`,
      `seen last: ${seen ? JSON.stringify(seen()) : failure instanceof Error ? failure.message : String(failure)}`,
      ...(log ? [`log: ${log()}`] : []),
    ];
    return new Error(lines.join('\n'), { cause: failure });
  }
}

/** Waits with one limit together, which begins with the first: what has not come by then will not come. */
export function sharedWait(): typeof waitFor {
  let end: number | undefined;
  return (condition, options = {}) => {
    end ??= performance.now() + WAIT_LIMIT_MS;
    return waitFor(condition, { ...options, limitMs: Math.max(SHORTEST_WAIT_MS, end - performance.now()) });
  };
}

/** The code of a condition as written, without the test runner's changes to imports. */
function sourceOf(condition: () => unknown): string {
  return String(condition)
    .replace(/\(0,\s*__vi(?:te_ssr)?_import_\d+__\.(\w+)\)/g, '$1')
    .replace(/__vi(?:te_ssr)?_import_\d+__\./g, '')
    .replace(/\s+/g, ' ');
}
