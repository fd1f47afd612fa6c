import { watchContradictions } from './contradictions.ts';
import { watchLags } from './day-lag.ts';
import { watchFields } from './field-watch.ts';
import { watchRevisions } from './revisions.ts';
import type { Watched, Watcher } from './run.ts';
import { watchUnusable } from './unusable-rows.ts';

/** All that look on at a run, in this order. Each is a line here and a file; a run works without any of them. */
export const WATCHERS: readonly ((watched: Watched) => Watcher)[] = [
  watchUnusable,
  watchLags,
  watchFields,
  watchContradictions,
  watchRevisions,
];
