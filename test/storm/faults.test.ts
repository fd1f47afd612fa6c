import { test } from 'vitest';
import { ALONE_ONLY, FAULTS, SWITCHES, startSky, withRate } from './sky.ts';

const AGAIN = 'npx vitest run --project storm test/storm/faults.test.ts -t';

test('the promises hold under each fault alone', async () => {
  const sky = await startSky(1, `${AGAIN} "alone"`);
  for (const fault of [...FAULTS.map((one) => withRate(one, 1)), ...SWITCHES]) {
    await sky.step([fault]);
    await sky.calm();
  }
});

test('the promises hold under each pair of faults', async () => {
  const sky = await startSky(2, `${AGAIN} "pair"`);
  const switches = SWITCHES.filter((fault) => !ALONE_ONLY.has(fault));
  const half = [...FAULTS.map((fault) => withRate(fault, 0.5)), ...switches];
  for (const [index, one] of half.entries()) {
    for (const other of half.slice(index + 1)) await sky.step([one, other]);
    await sky.calm();
  }
});
