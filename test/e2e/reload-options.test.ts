import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type JsonSchema, jsonSchemaOf } from '../../scripts/schema/json-schema.ts';
import { collectors } from '../../src/collectors/index.ts';
import { fileOnly } from '../../src/config/file-schema.ts';
import { optionsIn } from '../../src/config/option.ts';
import { createOptions } from '../../src/config/options.ts';
import { orgRows, otherRows } from './live/file-keys.ts';
import { optionRows } from './live/options.ts';
import { isOnBarePlatform, seeChange } from './live/row.ts';

const rows = [...optionRows, ...orgRows, ...otherRows];

/** The keys below which there are no further keys, except those that allow one value only. */
function leavesOf(schema: JsonSchema, path: readonly string[] = []): readonly string[] {
  const { properties = Object(schema['items']).properties } = schema as JsonSchema;
  if (properties === undefined) return Object(schema['enum']).length === 1 ? [] : [path.join('.')];
  return Object.entries<JsonSchema>(properties).flatMap(([key, below]) => leavesOf(below, [...path, key]));
}

test('every key that a reload applies has a row', () => {
  const live = optionsIn(createOptions(collectors)).filter(({ reload }) => reload === 'live');
  const ofOptions = live.map(({ key = [] }) => key.join('.'));
  const others = leavesOf(jsonSchemaOf(z.strictObject(fileOnly([]))));
  expect(rows.map(({ key }) => key).sort()).toEqual([...ofOptions, ...others].sort());
});

describe('a reload of the configuration file applies', () => {
  test.each(rows.filter((row) => !isOnBarePlatform(row)))('$key', seeChange);
});
