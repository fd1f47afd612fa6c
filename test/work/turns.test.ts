import { expect, test } from 'vitest';
import { createTurns, type Turn, type Urgency } from '../../src/work/turns.ts';
import { createFakeClock } from '../support/fake-clock.ts';

function create(limit: number) {
  const clock = createFakeClock(0);
  const closing = new AbortController();
  const turns = createTurns({ limit, closing: closing.signal, slow: { ms: 2000, clock } });
  const admitted: string[] = [];
  const given: Turn[] = [];
  return {
    ...{ clock, closing, turns, admitted },
    async take(owner: string, urgency: Urgency, name = owner, retired?: AbortSignal): Promise<void> {
      turns.take(owner, urgency, retired).then(
        (turn) => {
          admitted.push(name);
          given.push(turn);
        },
        () => undefined,
      );
      await clock.advance(0);
    },
    async end(): Promise<void> {
      given.shift()?.end();
      await clock.advance(0);
    },
  };
}

test('no more are under way than the limit, and the limit may change', async () => {
  const { take, end, turns, clock, admitted } = create(2);
  for (const owner of ['a', 'b', 'c', 'd', 'e']) await take(owner, 'other');
  expect(admitted).toEqual(['a', 'b']);
  await end();
  expect(admitted).toEqual(['a', 'b', 'c']);
  turns.setLimit(4);
  await clock.advance(0);
  expect(admitted).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('urgent work goes first, and each owner has a turn before another has its second', async () => {
  const { take, end, admitted } = create(1);
  await take('a', 'other', 'a past 1');
  for (const name of ['a past 2', 'a past 3']) await take('a', 'other', name);
  await take('b', 'other', 'b past');
  for (const name of ['a newest 1', 'a newest 2']) await take('a', 'urgent', name);
  await take('c', 'urgent', 'c newest');
  for (let turn = 0; turn < 6; turn++) await end();
  expect(admitted).toEqual([
    ...['a past 1', 'a newest 1', 'c newest', 'a newest 2'],
    ...['a past 2', 'b past', 'a past 3'],
  ]);
});

test('a turn that takes long keeps nobody waiting, and is given back once', async () => {
  const { take, end, clock, admitted } = create(1);
  await take('slow', 'other');
  await take('a', 'other');
  await take('b', 'other');
  await clock.advance(2000);
  expect(admitted).toEqual(['slow', 'a']);
  await end();
  expect(admitted).toEqual(['slow', 'a']);
  await end();
  expect(admitted).toEqual(['slow', 'a', 'b']);
});

test('nobody waits after the end, or after being retired', async () => {
  const { take, closing, clock, admitted } = create(1);
  const retired = new AbortController();
  await take('a', 'other');
  await take('b', 'other', 'b', retired.signal);
  await take('c', 'other');
  retired.abort();
  await clock.advance(0);
  expect(admitted).toEqual(['a', 'b']);
  await take('d', 'other', 'd', retired.signal);
  expect(admitted).toEqual(['a', 'b', 'd']);
  closing.abort();
  await clock.advance(0);
  await take('e', 'urgent');
  expect(admitted).toEqual(['a', 'b', 'd', 'c', 'e']);
});
