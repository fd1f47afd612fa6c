import { expect, test } from 'vitest';
import { backfillOptions, healthcheckOptions, sandboxOptions } from '../../src/config/command-options.ts';
import { type OptionTable, optionOf, optionsTakenBy, parseOption } from '../../src/config/option.ts';
import { createOptions } from '../../src/config/options.ts';
import { nearest } from '../../src/text/suggestion.ts';
import { collectors } from './loading.ts';

const shared = createOptions(collectors);
const tables: readonly OptionTable[] = [shared, sandboxOptions, healthcheckOptions, backfillOptions];
const all = tables
  .flatMap((table) => Object.entries(table))
  .map(([name, schema]) => [name, schema, optionOf(schema)] as const);

test.each(all)(
  '--%s has a description in one sentence, and a default and bounds that are valid',
  (_, schema, { description, standard, min, max }) => {
    expect(description).toMatch(/^[A-Z].*[^.]$/);
    for (const text of [standard, min, max]) {
      if (text === undefined) continue;
      expect(parseOption(schema, { texts: [text], origin: '' })).not.toBeUndefined();
    }
  },
);

test('no two options share a variable or a file key', () => {
  const variables = all.map(([, , { env }]) => env);
  const keys = all.flatMap(([, , { key }]) => key?.join('.') ?? []);
  expect(new Set(variables).size).toBe(variables.length);
  expect(new Set(keys).size).toBe(keys.length);
});

test('the names of variables and file keys follow from the flag', () => {
  expect(optionOf(shared['web.listen-address'])).toMatchObject({
    env: 'AGENT_PLATFORM_WEB_LISTEN_ADDRESS',
    key: ['web', 'listen_address'],
  });
  expect(optionOf(sandboxOptions.seed)).toMatchObject({ env: 'AGENT_PLATFORM_SANDBOX_SEED', key: undefined });
  expect(optionOf(shared['collector.wiki'] ?? shared.org).key).toEqual(['collectors', 'wiki', 'enabled']);
});

test('a command takes its own share of the options', () => {
  expect(Object.keys(optionsTakenBy('healthcheck', shared))).toEqual([
    'config.file',
    'web.listen-address',
    'web.config.file',
  ]);
  const demo = Object.keys(optionsTakenBy('demo', shared));
  expect(demo).toContain('collector.tokens');
  expect(demo).not.toContain('api.base-url');
  expect(Object.keys(optionsTakenBy('once', shared))).not.toContain('web.listen-address');
});

test.each([
  ['levle', 'level'],
  ['Level', 'level'],
  ['timeuot', 'timeout'],
  ['time', 'time'],
  ['x', undefined],
  ['completely', undefined],
])('the nearest to %s is %s', (typed, name) => {
  expect(nearest(typed, ['level', 'timeout', 'time'])).toBe(name);
});
