import { ALONE_ONLY, FAULTS, SWITCHES, startSky, withRate } from './sky.ts';

/** Lives through each pair of faults whose first one is in a half of them: each half is in a file of its own, for a worker of its own. */
export async function liveThroughPairs(half: 'even' | 'odd', again: string): Promise<void> {
  const sky = await startSky(2, again);
  const switches = SWITCHES.filter((fault) => !ALONE_ONLY.has(fault));
  const faults = [...FAULTS.map((fault) => withRate(fault, 0.5)), ...switches];
  for (const [index, one] of faults.entries()) {
    if ((index % 2 === 0) !== (half === 'even')) continue;
    for (const other of faults.slice(index + 1)) await sky.step([one, other]);
    await sky.calm();
  }
}
