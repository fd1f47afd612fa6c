import { describe, expect, test } from 'vitest';
import {
  filledKeys,
  isFilled,
  isUnsettledIn,
  JsonText,
  PackedMap,
  packed,
  textOf,
} from '../../src/history/packed.ts';
import { createRandom } from '../fuzz/random.ts';

type Operation = { readonly changes: ReadonlyMap<string, unknown>; readonly gone: ReadonlySet<string> };

function operationOf(random: () => number): Operation {
  const pick = () => `k${Math.floor(random() * 120)}`;
  const list = (most: number) => Array.from({ length: Math.floor(random() * most) }, pick);
  return {
    changes: new Map(list(40).map((key) => [key, someValue(random)])),
    gone: new Set(list(10)),
  };
}

/** All kinds of values: absent, small, with awkward characters, longer than a block, and with a long list. */
function someValue(random: () => number): unknown {
  const kind = Math.floor(random() * 12);
  if (kind < 3) return undefined;
  if (kind === 3) return { text: '\u{1F600} ,\n \u2028 \0 \uD800 "]' };
  if (kind === 4) return { text: 'x'.repeat(Math.floor(random() * 40_000)) };
  if (kind === 5) return { list: Array.from({ length: 600 }, (_, index) => index) };
  if (kind === 6) return [];
  if (kind === 7) return { name: '"rejected":{"total":1}', rejected: random() < 0.5 ? { total: 1 } : {} };
  return { n: random(), rest: ['a', { b: null }] };
}

/** What must be the same as in a map. */
function contentOf(map: ReadonlyMap<string, unknown>, keys: Iterable<string>) {
  return {
    size: map.size,
    entries: [...map],
    values: [...map.values()],
    got: [...keys].map((key) => [key, map.has(key), map.get(key), isFilled(map, key), textOf(map, key)]),
    filled: [...filledKeys(map)],
    unsettled: [...keys].filter((key) => isUnsettledIn(map, key)),
  };
}

describe('a packed map', () => {
  test('has the content of a map after any changes', () => {
    for (let seed = 1; seed <= 12; seed++) {
      const random = createRandom(seed);
      let map = new Map<string, unknown>();
      let one = PackedMap.of<string>([]);
      const keys = Array.from({ length: 120 }, (_, index) => `k${index}`);
      for (let step = 0; step < 12; step++) {
        const { changes, gone } = operationOf(random);
        map = new Map([...map, ...changes].filter(([key]) => !gone.has(key)));
        one = one.changed(changes, gone);
        expect(contentOf(one.opened(), keys), `seed ${seed}, step ${step}`).toEqual(contentOf(map, keys));
      }
      const again = PackedMap.of([...one.keys()].map((key) => [key, jsonOf(one, key)]));
      expect(contentOf(again, keys)).toEqual(contentOf(map, keys));
    }
  });

  test('knows without reading it that a row is settled', () => {
    const rows = {
      a: { n: 1 },
      b: { n: 1, rejected: { total: 1 } },
      c: undefined,
      d: { name: '"rejected"' },
    };
    const map = PackedMap.of(Object.entries(rows));
    expect([...map.keys(), 'e'].filter((key) => map.mayBeUnsettled(key))).toEqual(['b']);
    const fromText = PackedMap.of([['b', new JsonText('{ "rejected": { "total": 1 } }')]]);
    expect(isUnsettledIn(fromText, 'b')).toBe(true);
  });

  test('holds no value that a reader has read', () => {
    const map = PackedMap.of([['a', { n: 1 }]]);
    const [one, other] = [map.opened(), map.opened()];
    expect(one.get('a')).toBe(one.get('a'));
    expect(other.get('a')).toEqual(one.get('a'));
    expect(other.get('a')).not.toBe(one.get('a'));
  });

  test('is not made of more than is read at once', () => {
    const map = new Map([['a', { text: 'x'.repeat(100) }]]);
    expect(packed(map, 100)).toBe(map);
    expect(packed(map, 200)).toBeInstanceOf(PackedMap);
    expect(packed(PackedMap.of(map), 100)).toEqual(map);
  });
});

function jsonOf(map: PackedMap<string>, key: string): JsonText | undefined {
  const text = textOf(map, key);
  return text === undefined ? undefined : new JsonText(text);
}
