import { extname } from 'node:path';

/** What a thread runs: the file of its module, or its text (`eval`). */
export interface ThreadCode {
  readonly code: URL | string;
  readonly eval: boolean;
}

/** The code of the comparing thread; in the single executable, scripts/bundle/comparing-code.ts replaces this module. */
export function comparingCode(): ThreadCode {
  return { code: new URL(`comparing-thread${extname(import.meta.url)}`, import.meta.url), eval: false };
}
