import { describe, expect, test } from 'vitest';
import { createThrottleHolds } from '../../src/client/throttle-holds.ts';
import { PlatformError } from '../../src/text/errors.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { START } from './platform-server.ts';

function create() {
  const clock = createFakeClock(START);
  const holds = createThrottleHolds(clock);
  const [one, other] = ['one', 'other'].map((words) => new PlatformError('throttled', words)) as [
    PlatformError,
    PlatformError,
  ];
  return { clock, holds, one, other };
}

describe('a hold', () => {
  test('is in force until its time, by a clock that is never set', async () => {
    const { clock, holds, one } = create();
    holds.hold('wiki', 1_000, one);
    expect(holds.active()).toEqual([{ scope: 'wiki', until: START + 1_000, error: one }]);
    await clock.advance(999);
    expect(holds.active()).toEqual([{ scope: 'wiki', until: START + 1_000, error: one }]);
    expect([holds.current('wiki'), holds.current('tokens')]).toEqual([one, undefined]);
    await clock.advance(1);
    expect([holds.current('wiki'), holds.active()]).toEqual([undefined, []]);
  });

  test.each([
    [999, 'one'],
    [1_000, 'one'],
    [1_001, 'other'],
  ])('of 1000 ms is replaced by a longer one: after %i ms it is %s', (ms, expected) => {
    const { holds, one, other } = create();
    holds.hold('wiki', 1_000, one);
    holds.hold('wiki', ms, other);
    expect(holds.current('wiki')?.message).toBe(expected);
    expect(holds.active()[0]?.until).toBe(START + Math.max(ms, 1_000));
  });

  test('of the organization comes before that of an endpoint, and after it that of the endpoint goes on', async () => {
    const { clock, holds, one, other } = create();
    holds.hold('wiki', 2_000, one);
    holds.hold('organization', 1_000, other);
    expect([holds.current('wiki'), holds.current('tokens')]).toEqual([other, other]);
    await clock.advance(1_000);
    expect([holds.current('wiki'), holds.current('tokens')]).toEqual([one, undefined]);
    await expect(holds.guard('wiki', async () => 1)).rejects.toBe(one);
  });

  test('is followed by one request, for which those of its scope alone wait', async () => {
    const { clock, holds, one } = create();
    holds.hold('wiki', 1_000, one);
    await clock.advance(1_000);
    const probe = Promise.withResolvers<number>();
    const asked: string[] = [];
    const ask = (name: string, answer: Promise<number>) => () => {
      asked.push(name);
      return answer;
    };
    const first = holds.guard('wiki', ask('first', probe.promise));
    const second = holds.guard('wiki', ask('second', Promise.resolve(2)));
    expect(await holds.guard('tokens', ask('tokens', Promise.resolve(3)))).toBe(3);
    await clock.advance(0);
    expect(asked).toEqual(['first', 'tokens']);
    probe.reject(one);
    await expect(first).rejects.toBe(one);
    expect(await second).toBe(2);
    expect(await holds.guard('wiki', ask('third', Promise.resolve(4)))).toBe(4);
  });

  test('that replaces the one of a request in progress is kept at its end', async () => {
    const { clock, holds, one, other } = create();
    holds.hold('organization', 1_000, one);
    await clock.advance(1_000);
    const probing = holds.guard('wiki', async () => holds.hold('organization', 500, other));
    const waiting = holds.guard('tokens', async () => 1);
    await probing;
    await expect(waiting).rejects.toBe(other);
    expect(holds.current('wiki')).toBe(other);
  });
});
