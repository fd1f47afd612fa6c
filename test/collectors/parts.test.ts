import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { isDayCollector } from '../../src/catalog/collector.ts';
import { collectors } from '../../src/collectors/index.ts';
import { reader as activityReader } from '../../src/platforms/agent-platform/activity.ts';
import { API_FIELDS } from '../../src/platforms/agent-platform/api-fields.ts';
import { reader as productivityReader } from '../../src/platforms/agent-platform/productivity.ts';
import { dayRow as tokensRow } from '../../src/platforms/agent-platform/tokens.ts';
import { reader as toolsReader } from '../../src/platforms/agent-platform/tools.ts';
import { personRow } from '../../src/platforms/agent-platform/users.ts';

const schemas: Readonly<Record<string, z.ZodPipe<z.ZodObject>>> = {
  activity: activityReader.dayRow,
  productivity: productivityReader.dayRow,
  tokens: tokensRow,
  tools: toolsReader.dayRow,
  users: personRow,
} as never;

describe.each(collectors.filter(isDayCollector))('the parts of a row of $name', ({ name, dataset }) => {
  const parts = Object.values(dataset.parts ?? {});

  test('hold every field that is read, each once', () => {
    const read = Object.keys(schemas[name]?.in.shape ?? {}).filter((field) => field !== 'date');
    const fields: [string, string][] = Object.entries(API_FIELDS[dataset.name].members);
    // The people of a day are reduced to other members than theirs, and identified by fields that are not stored.
    const ofPerson = ['user_id', 'user_email', 'messages'];
    const stored = new Set(parts.flatMap((part) => part.members));
    const known = fields.filter(([member]) =>
      name === 'users' ? member !== 'isActive' : stored.has(member),
    );
    const told = [...known.map(([, field]) => field.split('[')[0]), ...(name === 'users' ? ofPerson : [])];
    expect(told.toSorted()).toEqual(read.toSorted());
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
