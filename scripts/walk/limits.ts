import type { RoadName } from './roads.ts';

/** The most files and functions whose code may run on each road: what was reached. A number may only fall. */
export const LIMITS: Readonly<Record<RoadName, { readonly files: number; readonly functions: number }>> = {
  reload: { files: 77, functions: 362 },
  'reload-changed': { files: 121, functions: 832 },
  answer: { files: 115, functions: 799 },
  scrape: { files: 30, functions: 87 },
  hook: { files: 33, functions: 123 },
};
