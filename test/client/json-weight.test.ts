import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createJsonScale } from '../../src/client/json-text.ts';
import { createReadingMemory } from '../../src/client/reading-memory.ts';
import { createOptions } from '../../src/config/options.ts';
import { createAsked, oneDay } from '../sandbox/asking.ts';

const weigh = (text: string) => createJsonScale()(Buffer.from(text));

/** What is the same but for one key or text. */
function each(make: (name: string) => string): string {
  return Array.from({ length: 20_000 }, (_, index) => make(index.toString(36))).join(',');
}

const many = (element: string) => `[${Array(50_000).fill(element).join(',')}]`;

describe('the weight of an answer', () => {
  test.each([
    ['nested arrays', '['.repeat(50_000) + ']'.repeat(50_000)],
    ['nested objects', '{"":'.repeat(50_000) + 1 + '}'.repeat(50_000)],
    ['empty arrays', many('[]')],
    ['empty objects', many('{}')],
    ['objects with a numeric key', many('{"32":1}')],
    ['objects with numeric keys', many('{"1":1,"2":1,"71":1}')],
    ['objects of different keys', `[${each((name) => `{"${name}z":1}`)}]`],
    ['objects of different keys and shapes', `[${each((name) => `{"${name}x":1,"${name}y":1}`)}]`],
    ['one object of many keys', `{${each((name) => `"${name}z":1`)}}`],
    ['numbers', many('0')],
    ['numbers among texts', many('"",-0')],
    ['short texts', `[${each((name) => `"${name}"`)}]`],
    ['long texts', `["${'x'.repeat(500_000)}"]`],
    ['long texts of two bytes a character', `["\u4e00${'x'.repeat(500_000)}"]`],
  ])('is about what V8 needs for %s, or more', (_kind, text) => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    collect();
    const before = process.memoryUsage().heapUsed;
    const value: unknown = JSON.parse(text);
    collect();
    const needed = process.memoryUsage().heapUsed - before;
    expect(value).toBeDefined();
    expect(weigh(text)).toBeGreaterThan(needed / 1.5);
  });

  test('counts what is written in texts as text, whatever is escaped there', () => {
    expect(weigh('"[{,:"')).toBe(weigh('"abcd"'));
    expect(weigh(String.raw`"\"[\\"`)).toBe(weigh('"abcdf"'));
    expect(weigh(String.raw`"\\"[`)).toBeGreaterThan(weigh(String.raw`"\"["`));
  });

  test('does not depend on the parts in which the answer comes', () => {
    const parts = fc.array(fc.stringMatching(/^[[\]{}",:\\N0 é]*$/));
    fc.assert(
      fc.property(parts, (texts) => {
        const scale = createJsonScale();
        const last = texts.map((text) => scale(Buffer.from(text))).at(-1);
        expect(last ?? 0).toBe(weigh(texts.join('')));
      }),
    );
  });

  test('leaves room for a day of 20 000 people by default', async () => {
    const { body } = await createAsked({ users: 20_000 }).analytics('tokens', oneDay);
    const bytes = createOptions([])['api.max-response-bytes'].parse(undefined);
    const { most } = createReadingMemory().open('acme', bytes);
    expect(weigh(JSON.stringify(body))).toBeLessThan(most);
  });
});
