import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { parseYaml } from '../../src/config/parse-yaml.ts';
import {
  list,
  nearestNode,
  originOf,
  positiveNumber,
  section,
  text,
  validated,
  wholeNumber,
  type YamlNode,
} from '../../src/config/validate.ts';
import { ConfigError } from '../../src/text/errors.ts';

const schema = section(
  z.strictObject({
    name: text(),
    size: wholeNumber(1, 9).optional(),
    mode: z.enum(['fast', 'exact']).default('fast'),
    items: list(z.strictObject({ label: text() })).default([]),
  }),
);

function nodeIn(yaml: string): YamlNode {
  return parseYaml(yaml, 'a.yml');
}

function read(yaml: string, by: z.ZodType = schema): unknown {
  return validated(by, nodeIn(yaml));
}

function errorOf(yaml: string, by?: z.ZodType): string {
  try {
    read(yaml, by);
  } catch (error) {
    if (error instanceof ConfigError) return [error.message, error.hint].join(' | ');
    throw error;
  }
  return 'valid';
}

test('a valid file gives the values of the schema, defaults included', () => {
  expect(read('name: x\nitems:\n')).toEqual({ name: 'x', mode: 'fast', items: [] });
});

describe('the first issue is named by file, line and key', () => {
  test.each([
    ['mode: fast', 'a.yml:1: has no name | '],
    ['name: x\nsize: 12', 'a.yml:2: size: must be a whole number from 1 to 9 | '],
    ['name: 3', 'a.yml:1: name: must be a text: put it in quotes | '],
    ['name: x\nmode: fats', 'a.yml:2: mode: "fats" is not one of fast, exact | did you mean fast?'],
    ['name: x\nmode: [fast]', 'a.yml:2: mode: must be one of fast, exact | '],
    ['name: x\nitems:\n  - label: a\n  - label: ""', 'a.yml:4: items[1].label: is empty | '],
    ['name: x\nitems: {}', 'a.yml:2: items: must be a list | '],
    ['- x', 'a.yml:1: must be a mapping with name, size, mode, items | '],
    ['nmae: x', 'a.yml:1: unknown key nmae | did you mean name?'],
    ['name: x\nitems:\n  - lable: a', 'a.yml:3: unknown key items[0].lable | did you mean items[0].label?'],
    ['size: 12\nother: 1', 'a.yml:2: unknown key other | allowed keys: name, size, mode, items'],
  ])('%j', (yaml, message) => {
    expect(errorOf(yaml)).toBe(message);
  });
});

describe('words for', () => {
  const channel = z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('desktop') }),
    z.strictObject({ type: z.literal('sound'), volume: positiveNumber(10).optional() }),
  ]);
  const named = z.record(z.string().regex(/^\w+$/, { error: 'is not a plain word' }), channel);
  const mapped = z.preprocess(
    (value) => new Map(Object.entries(Object(value))),
    z.map(z.string().min(1, { error: 'has no name' }), z.number({ error: 'is not a number' })),
  );
  const oneOrMore = z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(text()));
  const listed = z.object({ a: oneOrMore });
  const hinted = z.object({ a: z.unknown() }).superRefine((_, context) => {
    context.addIssue({ code: 'custom', message: 'is wrong', path: ['a'], params: { hint: 'remove it' } });
  });

  test.each([
    ['a union without its key', named, 'x: {}', 'a.yml:1: x: has no type | one of desktop, sound'],
    [
      'a union with another value',
      named,
      'x: {type: mail}',
      'a.yml:1: x.type: must be one of desktop, sound | ',
    ],
    [
      'a union that is a text',
      named,
      'x: mail',
      'a.yml:1: x: must be a mapping with a type: desktop, sound | ',
    ],
    [
      'an unknown key of a member',
      named,
      'x: {type: sound, vol: 1}',
      'a.yml:1: unknown key x.vol | allowed keys: type, volume',
    ],
    [
      'a number out of bounds',
      named,
      'x: {type: sound, volume: 0}',
      'a.yml:1: x.volume: must be a number above 0, at most 10 | ',
    ],
    ['a key of a record', named, 'a-b: {type: desktop}', 'a.yml:1: a-b: is not a plain word | '],
    ['a record that is a list', named, '[]', 'a.yml:1: must be a mapping | '],
    ['a key of a map', mapped, '? ""\n: 1', 'a.yml:1: has no name | '],
    ['a value of a map', mapped, 'a: 1\n__proto__: x', 'a.yml:2: __proto__: is not a number | '],
    ['an empty value instead of a list of one', listed, 'a:', 'a.yml:1: a: must be a text | '],
    ['a mapping instead of a list of one', listed, 'a: {b: c}', 'a.yml:1: a: must be a text | '],
    ['an issue with a hint', hinted, 'b: 1\na: 2', 'a.yml:2: a: is wrong | remove it'],
    [
      'a key that every object has',
      schema,
      'name: x\n__proto__: 1',
      'a.yml:2: unknown key __proto__ | allowed keys: name, size, mode, items',
    ],
    ['a boolean', z.object({ a: z.boolean() }), 'a: "yes"', 'a.yml:1: a: must be true or false | '],
  ])('%s', (_, by, yaml, message) => {
    expect(errorOf(yaml, by)).toBe(message);
  });

  test('an odd key are short, and free of invisible characters', () => {
    const key = `a\u202e${'b'.repeat(100)}`;
    expect(errorOf(`"${key}": x`, mapped)).toBe(`a.yml:1: a?${'b'.repeat(58)}: is not a number | `);
  });
});

test('a missing path is located at its last existing node', () => {
  const root = nodeIn('a:\n  b:\n    - c\n    - d: 1\n');
  const origin = (...path: (string | number)[]) => originOf(nearestNode(root, path));
  expect(origin('a', 'b', 1, 'd')).toBe('a.yml:4: a.b[1].d');
  expect(origin('a', 'b', 7)).toBe('a.yml:2: a.b');
  expect(origin('x', 'y')).toBe('a.yml:1');
});

test('a plain value has every key as its own', () => {
  const { value } = nodeIn('__proto__: {a: true}\nb: [1, ~, "c"]');
  expect(Object.keys(Object(value))).toEqual(['__proto__', 'b']);
  expect(value).toMatchObject({ b: [1, null, 'c'] });
});
