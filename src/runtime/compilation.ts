import { setFlagsFromString } from 'node:v8';

/**
 * For commands that work through much data in seconds. V8 puts the code of called functions into the optimized code of
 * their callers, up to this total of bytecode; by default it is three times as much. Compiling that takes a third of the
 * CPU time of such a command, and most of it is never paid back. V8 reads the flag at each compilation.
 */
export function compileForShortRuns(): void {
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=300');
}
