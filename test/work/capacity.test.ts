import { expect, test } from 'vitest';
import { createCapacity } from '../../src/work/capacity.ts';

test('admits up to the total size, and again once something has ended', () => {
  const { enter } = createCapacity({ total: 10 });
  const end = enter('a', 6);
  expect(enter('b', 5)).toBeUndefined();
  expect(enter('b', 4)).toBeDefined();
  expect(enter()).toBeUndefined();
  end?.();
  expect(enter('b', 6)).toBeDefined();
});

test('keeps room for others when one owner has reached its own limit', () => {
  const { enter } = createCapacity({ total: 3, perOwner: 2 });
  const ends = [enter('a'), enter('a')];
  expect(enter('a')).toBeUndefined();
  expect(enter('b')).toBeDefined();
  for (const end of ends) end?.();
  expect(enter('a')).toBeDefined();
});

test('ending twice makes room once', () => {
  const { enter } = createCapacity({ total: 2 });
  const end = enter();
  enter();
  end?.();
  end?.();
  expect(enter()).toBeDefined();
  expect(enter()).toBeUndefined();
});
