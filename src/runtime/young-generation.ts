import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8's young generation at its initial size of one to two mebibytes. Otherwise it grows to 64 MiB within minutes
 * and stays there: half of what the exporter needs with a hundred thousand series. One thread collects such a small
 * generation in under a millisecond; coordinating helper threads takes longer, especially on a busy machine. Call it
 * before anything large is loaded. V8 reads both flags at each collection, so they can be changed while it runs.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--no-parallel-scavenge');
}

/**
 * Lets the young generation grow again. While many organizations are polled at the same time, most of a small one is
 * still in use when it is collected, and collecting takes a fifth of the CPU time.
 */
export function letYoungGenerationGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
