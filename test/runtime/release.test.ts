import { expect, test } from 'vitest';
import { release } from '../../src/runtime/release.ts';

test('a buffer with memory of its own is empty once it is released', () => {
  const size = 64 * 1024 * 1024;
  const large = Buffer.allocUnsafeSlow(size);
  const before = process.memoryUsage().arrayBuffers;
  release([large]);
  expect(large).toHaveLength(0);
  expect(before - process.memoryUsage().arrayBuffers).toBeGreaterThanOrEqual(size);
});

test('buffers that share memory are released together, and again without an error', () => {
  const whole = Buffer.allocUnsafeSlow(100);
  const parts = [whole.subarray(0, 40), whole.subarray(40)];
  release(parts);
  release(parts);
  expect(parts.map(({ length }) => length)).toEqual([0, 0]);
});

test('what is in Node’s pool stays, because other buffers are there too', () => {
  const [one, other] = [Buffer.from('one'), Buffer.from('other')];
  release([one]);
  expect([one.toString(), other.toString()]).toEqual(['one', 'other']);
});

test('shared memory stays', () => {
  const shared = new Uint8Array(new SharedArrayBuffer(3));
  release([shared]);
  expect(shared).toHaveLength(3);
});
