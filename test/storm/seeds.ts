import { test } from 'vitest';
import { createRandom } from '../fuzz/random.ts';
import { drawFaults, drawStep, startSky } from './sky.ts';

/** Storms of 200 polls, each with a world of its own, about 100 days long; of a file by itself, so that files share them. */
export function storms(file: string, seeds: readonly number[]): void {
  test.each(seeds)('the promises hold in a storm, seed %i', async (seed) => {
    const again = `STORM_SEED=${seed} npx vitest run --project storm ${file}`;
    const sky = await startSky(seed, again);
    const random = createRandom(seed);
    for (let polls = 0; polls < 200; polls += 2) {
      const length = 1 + Math.floor(random() * 12);
      for (let index = 0; index < length; index++, polls++) {
        await sky.step(drawFaults(random), drawStep(random, sky.yesterday()));
      }
      await sky.calm();
    }
  });
}

/** The seed that the environment asks for in place of these. */
export function seedsOr(seeds: readonly number[]): readonly number[] {
  const given = process.env['STORM_SEED'];
  return given === undefined ? seeds : [Number(given)];
}
