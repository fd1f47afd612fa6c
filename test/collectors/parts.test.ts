import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { isDayCollector } from '../../src/catalog/collector.ts';
import { dayRow as activityRow } from '../../src/collectors/activity/fetch.ts';
import { collectors } from '../../src/collectors/index.ts';
import { dayRow as productivityRow } from '../../src/collectors/productivity/fetch.ts';
import { dayRow as tokensRow } from '../../src/collectors/tokens/fetch.ts';
import { dayRow as toolsRow } from '../../src/collectors/tools/fetch.ts';
import { personRow } from '../../src/collectors/users/schema.ts';

const schemas: Readonly<Record<string, z.ZodPipe<z.ZodObject>>> = {
  activity: activityRow,
  productivity: productivityRow,
  tokens: tokensRow,
  tools: toolsRow,
  users: personRow,
} as never;

describe.each(collectors.filter(isDayCollector))('the parts of a row of $name', ({ name, dataset }) => {
  const parts = Object.values(dataset.parts ?? {});

  test('hold every field that is read, each once', () => {
    const read = Object.keys(schemas[name]?.in.shape ?? {}).filter((field) => field !== 'date');
    expect(parts.flatMap(({ fields }) => fields).toSorted()).toEqual(read.toSorted());
  });

  test('break down parts that are there and break down nothing themselves', () => {
    for (const total of parts.flatMap(({ breaksDown = [] }) => breaksDown)) {
      expect(dataset.parts?.[total], total).toBeDefined();
      expect(dataset.parts?.[total]?.breaksDown, total).toBeUndefined();
    }
  });

  test('share no member', () => {
    const members = parts.flatMap((part) => part.members);
    expect(new Set(members).size).toBe(members.length);
  });
});

test('a family that breaks down a part names one that its dataset has', () => {
  for (const { name, families, dataset } of collectors) {
    const known = dataset.kind === 'days' ? Object.keys(dataset.parts ?? {}) : [];
    const named = families.flatMap((family) => (family.scope === 'day' ? (family.part ?? []) : []));
    expect(known, name).toEqual(expect.arrayContaining(named));
  }
});
