import { createRandom } from '../fuzz/random.ts';
import { drawFaults, drawStep, startSky } from './sky.ts';

/** Runs a storm of 200 polls in a world of its own, about 100 days long. */
export async function liveThroughStorm(seed: number): Promise<void> {
  const again = `STORM_SEED=${seed} npx vitest run --project storm test/storm/storm.test.ts`;
  const sky = await startSky(seed, again);
  const random = createRandom(seed);
  for (let polls = 0; polls < 200; polls += 2) {
    const length = 1 + Math.floor(random() * 12);
    for (let index = 0; index < length; index++, polls++) {
      await sky.step(drawFaults(random), drawStep(random, sky.yesterday()));
    }
    await sky.calm();
  }
}

/** The seed selected by STORM_SEED instead of these, or as many of them as STORM_SEEDS says; all by default. */
export function seedsOr(seeds: readonly number[]): readonly number[] {
  const { STORM_SEED: given, STORM_SEEDS: count = String(seeds.length) } = process.env;
  return given === undefined ? seeds.slice(0, Number(count)) : [Number(given)];
}
