import { expect, test } from 'vitest';
import { backfillOptions, healthcheckOptions, sandboxOptions } from '../../src/config/command-options.ts';
import { fileKeyOf, type OptionTable, optionsTakenBy, variableOf } from '../../src/config/option.ts';
import { createOptions } from '../../src/config/options.ts';
import { parseValue } from '../../src/config/values.ts';
import { nearest } from '../../src/runtime/suggestion.ts';
import { collectors } from './loading.ts';

const shared = createOptions(collectors);
const tables: readonly OptionTable[] = [shared, sandboxOptions, healthcheckOptions, backfillOptions];
const all = tables.flatMap((table) => Object.entries(table));

test.each(all)(
  '--%s has a description in one sentence, and a default and bounds that are valid',
  (_, option) => {
    expect(option.description).toMatch(/^[A-Z].*[^.]$/);
    for (const text of [option.default, option.min, option.max]) {
      if (text !== undefined) expect(parseValue(option, text)).toHaveProperty('value');
    }
  },
);

test('no two options share a variable or a file key', () => {
  const variables = all.map(([name, option]) => variableOf(name, option));
  const keys = all.flatMap(([name, option]) => fileKeyOf(name, option)?.join('.') ?? []);
  expect(new Set(variables).size).toBe(variables.length);
  expect(new Set(keys).size).toBe(keys.length);
});

test('the names of variables and file keys follow from the flag', () => {
  expect(variableOf('web.listen-address', shared['web.listen-address'])).toBe(
    'AGENT_PLATFORM_WEB_LISTEN_ADDRESS',
  );
  expect(fileKeyOf('web.listen-address', shared['web.listen-address'])).toEqual(['web', 'listen_address']);
  expect(variableOf('seed', sandboxOptions.seed)).toBe('AGENT_PLATFORM_SANDBOX_SEED');
  expect(fileKeyOf('seed', sandboxOptions.seed)).toBeUndefined();
  expect(fileKeyOf('collector.wiki', shared['collector.wiki'] ?? shared.org)).toEqual([
    'collectors',
    'wiki',
    'enabled',
  ]);
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
