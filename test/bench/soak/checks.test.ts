import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../bench/soak/checks.ts';
import type { Sample } from '../../../bench/soak/samples.ts';

const MIB = 2 ** 20;

/** The failed checks of a soak of some minutes with these samples; one is taken with every poll, every five seconds. */
function missed(minutes: number, at: (poll: number) => Partial<Sample>): readonly string[] {
  const samples = Array.from({ length: minutes * 12 }, (_, poll) => ({
    ...{ second: poll * 5, residentBytes: 150 * MIB, heapBytes: 50 * MIB, openFiles: 30 },
    ...at(poll),
  }));
  const soak = { minutes, organizations: 2, perSecond: 50, pollSeconds: 5, polls: samples.length, samples };
  const nothing = { answers: new Map(), logLines: new Map(), failures: [], errors: [] };
  const checks = evaluate({ ...soak, ...nothing, scrapes: [5_000] }, { anyMachine: true });
  return checks.filter(({ held }) => !held).map(({ what }) => what.split(':')[0] ?? '');
}

describe('the checks of a soak', () => {
  test('ignores connections that accumulate occasionally', () => {
    const piled = (poll: number) => ({ openFiles: poll % 2 === 0 ? 30 : 30 + poll * 10 });
    expect(missed(2, piled)).toEqual([]);
    expect(missed(30, piled)).toEqual([]);
  });

  test.each([
    [2, 2],
    [30, 0.1],
  ])('of %i minutes finds %d files a poll that stay open, however the connections vary', (minutes, leak) => {
    const leaking = (poll: number) => ({ openFiles: 30 + Math.floor(poll * leak) + (poll % 3) * 20 });
    expect(missed(minutes, leaking)).toEqual(['open files are level']);
  });

  test('finds memory that grows', () => {
    const growing = (poll: number) => ({ residentBytes: (150 + poll) * MIB, heapBytes: (50 + poll) * MIB });
    expect(missed(30, growing)).toEqual(['resident memory is level', 'the heap is level']);
  });
});
