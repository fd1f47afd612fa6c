import { extname } from 'node:path';

/** The modules that the program's threads run: in `src`, without an extension. */
export const THREADS = {
  comparing: 'web-config/passwords/comparing-thread',
} as const;

/** A thread of the program. */
export type ThreadName = keyof typeof THREADS;

/** What a thread runs: the file of its module, or its text (`eval`). */
export interface ThreadCode {
  readonly code: URL | string;
  readonly eval: boolean;
}

/** The code of a thread; in the single executable, scripts/bundle/thread-code.ts replaces this module. */
export function threadCode(name: ThreadName): ThreadCode {
  return { code: new URL(`../${THREADS[name]}${extname(import.meta.url)}`, import.meta.url), eval: false };
}
