import { setFlagsFromString } from 'node:v8';

/**
 * For commands that work through much data in seconds. V8 has two optimizing compilers, Maglev and, for code that stays
 * hot, Turbofan. Turbofan takes a third of the CPU time of such a command, and its code is hardly faster than Maglev's
 * where most time is spent in maps, strings and buffers: even with 1 500 days it is not paid back. V8 reads the flag
 * whenever it decides about a function.
 */
export function compileForShortRuns(): void {
  setFlagsFromString('--no-turbofan');
}
