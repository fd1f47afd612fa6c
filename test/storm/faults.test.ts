import { test } from 'vitest';
import { liveThroughPairs } from './pairs.ts';
import { FAULTS, SWITCHES, startSky, withRate } from './sky.ts';

const AGAIN = 'npx vitest run --project storm test/storm/faults.test.ts -t';

test('the promises hold under each fault alone', async () => {
  const sky = await startSky(1, `${AGAIN} "alone"`);
  for (const fault of [...FAULTS.map((one) => withRate(one, 1)), ...SWITCHES]) {
    await sky.step([fault]);
    await sky.calm();
  }
});

test('the promises hold under each pair of faults, one half of them', () =>
  liveThroughPairs('even', `${AGAIN} "pair"`));
