import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createJsonMeter, type JsonBounds } from '../../src/runtime/json-meter.ts';

/** Whether a text, in pieces of some length, exceeds a limit. */
function exceeds(text: string, bounds: Partial<JsonBounds>, piece = 3): keyof JsonBounds | undefined {
  const meter = createJsonMeter({ depth: 1_000, values: 1_000_000, ...bounds });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += piece) {
    const exceeded = meter.read(bytes.subarray(at, at + piece));
    if (exceeded !== undefined) return exceeded;
  }
  return undefined;
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + countOf(inner), 1);
}

describe('the measure of a JSON text', () => {
  test('is its depth, whatever its strings contain and however it is split', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 1, max: 9 }), (value, piece) => {
        const depth = depthOf(value);
        expect(exceeds(JSON.stringify(value), { depth }, piece)).toBeUndefined();
        if (depth > 0) expect(exceeds(JSON.stringify(value), { depth: depth - 1 }, piece)).toBe('depth');
      }),
    );
  });

  test('counts at least every value, and at most two for each', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const count = countOf(value);
        const text = JSON.stringify(value);
        expect(exceeds(text, { values: 2 * count })).toBeUndefined();
        if (count > 2) expect(exceeds(text, { values: Math.floor(count / 2) - 1 })).toBe('values');
      }),
    );
  });

  test('does not count brackets, commas and quotes in strings', () => {
    expect(exceeds(JSON.stringify({ a: '[[[{{{"\\",,,' }), { depth: 1, values: 2 })).toBeUndefined();
  });
});
