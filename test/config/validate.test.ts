import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { list, section, text, validated, wholeNumber } from '../../src/config/validate.ts';
import { parseYamlTree } from '../../src/config/yaml-tree.ts';
import { ConfigError } from '../../src/runtime/errors.ts';

const schema = section(
  z.strictObject({
    name: text(),
    size: wholeNumber(1, 9).optional(),
    mode: z.enum(['fast', 'exact']).default('fast'),
    items: list(z.strictObject({ label: text() })).default([]),
  }),
);

function read(yaml: string): unknown {
  const tree = parseYamlTree(yaml, 'a.yml');
  return validated(schema, { file: 'a.yml', path: '', line: tree.line, tree });
}

function errorOf(yaml: string): string {
  try {
    read(yaml);
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
    ['size: 12\nother: 1', 'a.yml:2: unknown key other | known here: name, size, mode, items'],
  ])('%j', (yaml, message) => {
    expect(errorOf(yaml)).toBe(message);
  });
});
