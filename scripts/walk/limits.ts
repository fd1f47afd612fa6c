import type { RoadName } from './roads.ts';

/** The most files and functions whose code may run on each road: what was reached. A number may only fall. */
export const LIMITS: Readonly<Record<RoadName, { readonly files: number; readonly functions: number }>> = {
  reload: { files: 75, functions: 384 },
  'reload-changed': { files: 121, functions: 887 },
  answer: { files: 119, functions: 875 },
  scrape: { files: 30, functions: 88 },
  hook: { files: 34, functions: 126 },
};
