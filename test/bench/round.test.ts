import { describe, expect, test } from 'vitest';
import { addUp } from '../../bench/load/round.ts';

describe('the loads of a server in one round', () => {
  const quick = { times: [1, 1, 1, 1, 1, 1], seconds: 0.5, cpuSeconds: 0.3, wantedSeconds: 0.4, bytes: 10 };
  const slow = { times: [9, 9], seconds: 1.5, cpuSeconds: 0.7, wantedSeconds: 1.5, bytes: 12 };

  test('are added up, so that a slice counts by its time and its answers', () => {
    const round = addUp([quick, slow]);
    expect(round.perSecond).toBe(4);
    expect(round.cpuMs).toBe(125);
    expect(round.wanted).toBeCloseTo(0.95);
    expect(round.bytes).toBe(12);
  });

  test('have the quantiles of all answers, not means of those of each load', () => {
    expect(addUp([quick, slow])).toMatchObject({ p50: 1, p99: 9 });
  });
});
