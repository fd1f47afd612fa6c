import { statSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { messageOf } from '../../runtime/errors.ts';
import { startThread } from '../../runtime/thread.ts';
import { check } from './check.ts';
import { NotChecked } from './errors.ts';

/**
 * Checks a whole database, see `check`. Rejects with a `NotChecked` if that is impossible for a reason that is not in the
 * file, and once the signal is aborted with the signal's reason.
 */
export type CheckFile = (path: string, isSuspect: boolean, signal?: AbortSignal) => Promise<string>;

export interface CheckQuestion {
  readonly path: string;
  readonly isSuspect: boolean;
}

/** An error loses its own members, such as SQLite's codes, between threads: they come with it. */
export type CheckAnswer =
  | { readonly found: string }
  | { readonly error: unknown; readonly members: Readonly<Record<string, unknown>> };

interface CheckParts {
  /** Up to this size in bytes, a file is checked in place. */
  readonly mostInPlace?: number;
  readonly start?: (question: CheckQuestion) => Worker;
}

/** To check so much takes a few milliseconds, and to start a thread about 40. */
export const MOST_IN_PLACE = 8 * 1024 * 1024;

/** Creates a check that blocks the event loop for a few milliseconds at most, however large the file is. */
export function createFileCheck({
  mostInPlace = MOST_IN_PLACE,
  start = (question) => startThread('checking', question),
}: CheckParts = {}): CheckFile {
  return async (path, isSuspect, signal) => {
    if (statSync(path).size <= mostInPlace) return check(path, isSuspect);
    signal?.throwIfAborted();
    return foundIn(await answerOf(() => start({ path, isSuspect }), signal));
  };
}

function foundIn(answer: CheckAnswer): string {
  if ('found' in answer) return answer.found;
  throw answer.error instanceof Error ? Object.assign(answer.error, answer.members) : answer.error;
}

async function answerOf(start: () => Worker, signal: AbortSignal | undefined): Promise<CheckAnswer> {
  const answer = Promise.withResolvers<CheckAnswer>();
  const fail = (why: string) => answer.reject(new NotChecked(`the thread that checks the file ${why}`));
  const abort = () => answer.reject(signal?.reason);
  signal?.addEventListener('abort', abort);
  let thread: Worker | undefined;
  try {
    thread = start();
    thread.once('message', answer.resolve);
    thread.once('error', (error) => fail(`failed: ${messageOf(error)}`));
    thread.once('exit', () => fail('has exited'));
  } catch (error) {
    fail(`cannot be started: ${messageOf(error)}`);
  }
  try {
    return await answer.promise;
  } finally {
    signal?.removeEventListener('abort', abort);
    void thread?.terminate();
    // A thread does not end within SQLite, and being terminated keeps the process alive until it does.
    thread?.unref();
  }
}
