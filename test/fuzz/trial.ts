import { expect } from 'vitest';
import { messageOf } from '../../src/text/errors.ts';
import { createWatchdog } from '../support/watchdog.ts';
import { createRandom, type Random } from './random.ts';

interface Trial {
  readonly seeds: number;
  /** Texts that must not be in any output. */
  readonly secrets: readonly string[];
  /** Whether a thrown error is an expected one. */
  readonly isForeseen: (error: unknown) => boolean;
  /** Generates an input from the seed, has it parsed, and returns all output as text. */
  run(random: Random, seed: number): string | Promise<string>;
}

/**
 * Tries one input after the other; a failure or a hang reports the seed, which reproduces the input. `FUZZ_SEED` in the
 * environment selects that seed alone.
 */
export async function tryAll(trial: Trial): Promise<void> {
  const name = expect.getState().currentTestName ?? 'the trials';
  const watchdog = createWatchdog(name);
  const only = process.env['FUZZ_SEED'];
  const seeds =
    only === undefined ? Array.from({ length: trial.seeds }, (_, index) => index + 1) : [Number(only)];
  try {
    for (const seed of seeds) {
      watchdog.begin(seed);
      await tryOne(trial, seed).catch((error: unknown) => {
        const again = `FUZZ_SEED=${seed} npx vitest run --project storm test/fuzz -t ${JSON.stringify(name)}`;
        throw new Error(`${messageOf(error)}\nAgain by: ${again}`, { cause: error });
      });
    }
  } finally {
    await watchdog.stop();
  }
  expect(Object.prototype, 'the prototype of everything is as it was').not.toHaveProperty('polluted');
}

async function tryOne({ secrets, isForeseen, run }: Trial, seed: number): Promise<void> {
  let output: string;
  try {
    output = await run(createRandom(seed), seed);
  } catch (error) {
    if (!isForeseen(error)) throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
    output = messageOf(error);
    const isOneLine = !output.trim().includes('\n') && !output.includes('\0');
    expect(isOneLine, `seed ${seed}: not one line: ${output.slice(0, 300)}`).toBe(true);
  }
  for (const secret of secrets) {
    if (output.includes(secret)) throw new Error(`seed ${seed} leaks ${secret}: ${excerpt(output, secret)}`);
  }
}

function excerpt(text: string, part: string): string {
  const at = text.indexOf(part);
  return text.slice(Math.max(0, at - 100), at + part.length + 20);
}
