import { expect, test } from 'vitest';
import { Leading } from '../../src/app/leading.ts';
import type { Leader } from '../../src/store/leader.ts';
import { createFakeClock } from '../support/fake-clock.ts';

test('runs that a connected database refused are run again, but not at each beat', async () => {
  const clock = createFakeClock(0);
  const leading = new Leading(undefined, clock);
  leading.missed('acme/tokens');
  expect(leading.takeMissed('rested')).toEqual(['acme/tokens']);
  leading.missed('acme/tokens');
  await clock.advance(59_000);
  expect(leading.takeMissed('rested')).toEqual([]);
  // Once the connection is back, nothing needs to rest.
  expect(leading.takeMissed()).toEqual(['acme/tokens']);
  leading.missed('acme/tools');
  await clock.advance(60_000);
  expect(leading.takeMissed('rested')).toEqual(['acme/tools']);
});

test('a process with a file always leads; one of several is undecided until it is known who does', () => {
  const clock = createFakeClock(0);
  const alone = new Leading(undefined, clock);
  expect([alone.role(), alone.permit()]).toEqual(['leader', { ended: undefined }]);
  alone.demand();
  let term: AbortSignal | undefined;
  const leadership: Pick<Leader, 'isLeader' | 'term' | 'demand'> = {
    isLeader: () => term !== undefined,
    term: () => term,
    demand() {
      if (term === undefined) throw new Error('not now');
    },
  };
  const leading = new Leading(leadership as Leader, clock);
  expect([leading.role(), leading.permit()]).toEqual(['undecided', undefined]);
  leading.decided();
  expect(leading.role()).toBe('follower');
  expect(() => leading.demand()).toThrow('not now');
  term = new AbortController().signal;
  expect([leading.role(), leading.permit()?.ended]).toEqual(['leader', term]);
});
