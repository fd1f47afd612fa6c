import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8's young generation at its first size of a mebibyte or two. It would otherwise grow to 64 MiB in the
 * first minutes and stay there: half of what the exporter needs with a hundred thousand series. So little is
 * collected by one thread in under a millisecond; to wait for helpers takes longer, much longer on a busy machine.
 * Call it before anything large is loaded. V8 asks for both flags each time, so that they count while it runs.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--no-parallel-scavenge');
}

/**
 * Lets it grow again: with many organizations under way at the same time, most of a small one is still in use when it is
 * collected, and collecting takes a fifth of the processor's time.
 */
export function letYoungGenerationGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
