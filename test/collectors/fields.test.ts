import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  amount,
  anyElementName,
  day,
  element,
  elementAmount,
  elementName,
  flag,
  instant,
  list,
  members,
  repository,
  requiredAmount,
  requiredElementAmount,
  requiredInstant,
  requiredRepository,
  requiredText,
  text,
  UNUSABLE,
} from '../../src/platforms/fields.ts';

const REJECTED = Symbol('rejected');

function read(schema: z.ZodType, value: unknown): unknown {
  const { success, data } = schema.safeParse(value);
  return success ? data : REJECTED;
}

/** What each value is read as. */
type Cases = readonly (readonly [value: unknown, read: unknown])[];

const AMOUNTS: Cases = [
  [0, 0],
  [0.5, 0.5],
  [2 ** 53, 2 ** 53],
  ['7', 7],
  [' +7.50 ', 7.5],
  ['.5', 0.5],
  ['7.', 7],
  ['1e3', 1000],
  ['1.5E-1', 0.15],
  [-1, REJECTED],
  ['-1', REJECTED],
  [2 ** 53 + 2, REJECTED],
  [Number.NaN, REJECTED],
  [Number.POSITIVE_INFINITY, REJECTED],
  ['', REJECTED],
  ['7 apples', REJECTED],
  ['x7', REJECTED],
  ['0x10', REJECTED],
  ['1e', REJECTED],
  ['.', REJECTED],
  [true, REJECTED],
  [[7], REJECTED],
];

const INSTANTS: Cases = [
  [1_000, 1_000],
  ['1000', 1_000],
  ['2026-03-10', Date.UTC(2026, 2, 10)],
  [' 2026-03-10T12:30 ', Date.UTC(2026, 2, 10, 12, 30)],
  ['2026-03-10 12:30:15', Date.UTC(2026, 2, 10, 12, 30, 15)],
  ['2026-03-10T12:30:15.25Z', Date.UTC(2026, 2, 10, 12, 30, 15, 250)],
  ['2026-03-10t12:30:15z', Date.UTC(2026, 2, 10, 12, 30, 15)],
  ['2026-03-10T12:30+02:00', Date.UTC(2026, 2, 10, 10, 30)],
  ['2026-03-10T12:30-0130', Date.UTC(2026, 2, 10, 14)],
  [8.64e15, 8.64e15],
  [8.64e15 + 2, REJECTED],
  [0, REJECTED],
  [-1, REJECTED],
  ['1969-12-31', REJECTED],
  ['2026-13-10', REJECTED],
  ['on 2026-03-10', REJECTED],
  ['2026-03-10T12', REJECTED],
  ['2026-03-10T12:30 PM', REJECTED],
  ['soon', REJECTED],
  [{}, REJECTED],
];

const REPOSITORIES: Cases = [
  ['https://h.tld/a', 'h.tld/a'],
  ['/home/x', REJECTED],
  [7, REJECTED],
];

/** That of a member that may be missing. */
const MISSING: Cases = [
  [undefined, undefined],
  [null, undefined],
];
const NEEDED: Cases = [
  [undefined, REJECTED],
  [null, REJECTED],
];

describe.each<[string, z.ZodType, Cases]>([
  ['an amount', amount, [...AMOUNTS, ...MISSING, [UNUSABLE, REJECTED]]],
  ['a required amount', requiredAmount, [...AMOUNTS, ...NEEDED, [UNUSABLE, REJECTED]]],
  ['an amount of an element', elementAmount, [...AMOUNTS, ...MISSING, [UNUSABLE, null]]],
  ['a required amount of an element', requiredElementAmount, [...AMOUNTS, ...NEEDED, [UNUSABLE, null]]],
  ['an instant', instant, [...INSTANTS, ...MISSING]],
  ['a required instant', requiredInstant, [...INSTANTS, ...NEEDED]],
  ['a repository', repository, [...REPOSITORIES, ...MISSING]],
  ['a required repository', requiredRepository, [...REPOSITORIES, ...NEEDED]],
  ['a text', text, [...MISSING, ['a', 'a'], ['', undefined], [' ', ' '], [7, REJECTED]]],
  ['a required text', requiredText, [...NEEDED, ['a', 'a'], ['', REJECTED], [7, REJECTED]]],
  ['the name of an element', elementName, [...NEEDED, ['a', 'a'], ['', REJECTED], [UNUSABLE, null]]],
  [
    'any name of an element',
    anyElementName,
    [
      ['a', 'a'],
      ['', ''],
      [null, ''],
      [undefined, ''],
      [7, REJECTED],
      [UNUSABLE, null],
    ],
  ],
  [
    'a flag',
    flag,
    [
      ...MISSING,
      [true, true],
      [false, false],
      ['true', true],
      ['false', false],
      ['yes', REJECTED],
      [1, REJECTED],
    ],
  ],
  [
    'a day',
    day,
    [...NEEDED, ['2026-03-10', '2026-03-10'], ['2026-02-30', REJECTED], ['2026-03-10T00:00Z', REJECTED]],
  ],
  [
    'a list',
    list(z.number()),
    [
      ...MISSING,
      [[], []],
      [
        [1, 2],
        [1, 2],
      ],
      [{}, REJECTED],
      [[1, 'x'], REJECTED],
      [7, REJECTED],
    ],
  ],
  [
    'an element',
    element({ name: elementName, count: elementAmount }),
    [
      [
        { name: 'a', count: '7', more: 1 },
        { name: 'a', count: 7 },
      ],
      [UNUSABLE, { name: null, count: null }],
      [{ count: 7 }, REJECTED],
      [null, REJECTED],
    ],
  ],
])('%s', (_name, schema, cases) => {
  test.each(cases)('%j is read as %s', (value, expected) => {
    expect(read(schema, value)).toEqual(expected);
  });
});

describe('the members of an object', () => {
  const schema = members(requiredAmount);

  test.each<[unknown, unknown]>([
    [undefined, undefined],
    [null, undefined],
    [{}, []],
    [
      { b: 1, a: '2' },
      [
        ['b', 1],
        ['a', 2],
      ],
    ],
    [JSON.parse('{"__proto__":1}'), [['__proto__', 1]]],
    [[1], REJECTED],
    ['text', REJECTED],
    [{ a: 1, b: 'x' }, REJECTED],
  ])('of %j are %j', (value, expected) => {
    expect(read(schema, value)).toEqual(expected);
  });

  test('name the one that is unusable', () => {
    const { error } = members(z.object({ n: requiredAmount })).safeParse({
      a: { n: 1 },
      b: { n: 'x' },
      c: {},
    });
    expect(error?.issues.map(({ path }) => path)).toEqual([
      ['b', 'n'],
      ['c', 'n'],
    ]);
  });

  test.each([
    [5_000, 5_000],
    [5_001, undefined],
  ])('are read up to a number: %i', (length, count) => {
    const object = Object.fromEntries(Array.from({ length }, (_, index) => [`n${index}`, 1]));
    expect(schema.safeParse(object).data?.length).toBe(count);
  });
});

test.each([
  [250_000, true],
  [250_001, false],
])('a list of %i elements is read: %s', (length, success) => {
  expect(list(z.unknown()).safeParse(Array.from({ length })).success).toBe(success);
});
