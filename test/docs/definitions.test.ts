import { expect, test } from 'vitest';
import { readDefinitions } from '../../scripts/docs/definitions.ts';
import { collectors } from '../../src/collectors/index.ts';

test('every definition is of a metric', () => {
  const names = collectors.flatMap(({ families }) => families.map(({ name }): string => name));
  expect([...readDefinitions().keys()].filter((name) => !names.includes(name))).toEqual([]);
});
