import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { addDays } from '../../src/catalog/day.ts';
import { byName } from '../../src/catalog/object.ts';
import { FieldWatch } from '../../src/pipeline/field-watch.ts';
import { apiContractOf } from '../../src/platforms/api-contract.ts';
import { DAY } from '../collectors/fakes.ts';

const model = z.object({ name: z.string(), credits: z.number() });

const owned = z.object({ id: z.string() });

/** With each form of schema that the datasets use. */
const element = z
  .object({
    date: z.string(),
    credits: z.preprocess(Number, z.number().optional()),
    adoption: z.number().optional(),
    tier: z.string().nullable(),
    modes: z.record(z.string(), z.number()).optional(),
    by_model: z.preprocess((value) => value ?? undefined, z.array(model).optional()),
    owner: z.object({ seats: z.number().optional() }).nullable(),
    client: z.preprocess((value) => (typeof value === 'string' ? { id: value } : value), owned.optional()),
    criteria: z.custom((value) => value === undefined).optional(),
  })
  .transform((row) => row);

const contract = apiContractOf({
  schema: element,
  whenOf: ({ date, createdAt }) => date ?? createdAt,
  unread: ['id', 'by_model.id', 'createdAt'],
  records: { criteria: z.record(z.string(), z.object({ passed: z.number() })) },
  values: { tier: ['Standard', 'auto_high'], modes: ['auto-high', 'off'] },
  beyondDay: ['adoption'],
});

function watching(...data: unknown[]) {
  const watch = new FieldWatch();
  watch.compare(contract, data);
  return watch;
}

const row = { date: DAY, credits: 0, tier: 'standard' };

describe('what an answer has that is not read', () => {
  test.each<[string, readonly object[], readonly string[]]>([
    ['a member', [{ added: 1 }], ['added']],
    ['a member of a list', [{ by_model: [{ name: 'a', credits: 1, added: 1 }] }], ['by_model.added']],
    ['a member of an object', [{ owner: { seats: 1, added: 1 } }], ['owner.added']],
    ['members in order', [{ b: 1 }, { a: 1, b: 1 }], ['a', 'b']],
    ['what is not read on purpose', [{ id: 1, by_model: [{ name: 'a', credits: 1, id: 1 }] }], []],
    ['one odd value', [{ credits: 'x' }], []],
    ['odd values alone', [{ credits: 'x' }, { credits: 'y' }], ['credits']],
    ['an odd value beside a usual one', [{ credits: 'x' }, { credits: 7 }], []],
    ['no object', [{ owner: 1 }, { owner: [1] }], ['owner']],
    ['a list of no objects', [{ by_model: ['a'] }, { by_model: [1] }], ['by_model']],
    [
      'nothing in place of an object or list',
      [
        { owner: [], by_model: {} },
        { owner: '', by_model: '' },
      ],
      [],
    ],
    ['a member of an object by name', [{ criteria: { a: { passed: 1, added: 1 } } }], ['criteria.added']],
    ['odd values by name', [{ criteria: { a: { passed: 'x' }, b: { passed: [1] } } }], ['criteria.passed']],
    ['no objects by name', [{ criteria: { a: 1 } }, { criteria: [{ passed: 1 }] }], ['criteria']],
    ['a text in place of an object that is read too', [{ client: 'a' }, { client: 'b' }], []],
    ['an amount in its place', [{ client: 1 }, { client: 2 }], ['client']],
    ['no list', [{ by_model: { a: 1 } }, { by_model: 'a' }], ['by_model']],
    ['odd values in a list', [{ by_model: [{ name: 1, credits: 1 }, { name: 2 }] }], ['by_model.name']],
    ['known words, however they are written', [{ tier: 'STANDARD' }, { tier: 'Auto-High' }], []],
    ['another word', [{ tier: 'turbo' }], ['tier (new value)']],
    ['no word', [{ tier: 7 }], []],
    ['known names', [{ modes: { AUTO_HIGH: 1, off: 2 } }], []],
    ['another name among them', [{ modes: { off: 1, turbo: 1 } }], ['modes (new value)']],
    ['names that may be data', [{ 'a@b.c': 1, n1234567: 1 }], ['(not a plain name)']],
    ['nothing in place of values', [{ credits: null, owner: null, by_model: null }, { credits: null }], []],
  ])('%s: %j is %j', (_case, parts, unknown) => {
    expect(watching(...parts.map((part) => ({ ...row, ...part }))).unknown()).toEqual(unknown);
  });

  test.each([
    [100, []],
    [103, [50, 51, 52]],
  ])('is looked for in fifty of %i elements from each end', (length, overlooked) => {
    const all = Array.from({ length }, (_none, odd) => odd);
    const noticed = all.filter((odd) => {
      const data = Array.from({ length }, (_one, index) => (index === odd ? { ...row, added: 1 } : row));
      return watching(...data).unknown().length > 0;
    });
    expect(noticed).toEqual(all.filter((index) => !overlooked.includes(index)));
  });

  test.each([
    [[60, 35], []],
    [
      [60, 40],
      [0, 1, 2],
    ],
    [[250], [0, 1, 2]],
  ])(
    'is looked for in a hundred elements of answers with %j, and the last two of the next',
    (sizes, overlooked) => {
      const noticed = [0, 1, 2, 3, 4].filter((odd) => {
        const watch = new FieldWatch();
        const next = Array.from({ length: 5 }, (_one, index) => (index === odd ? { ...row, added: 1 } : row));
        for (const length of sizes) watch.compare(contract, Array<unknown>(length).fill(row));
        watch.compare(contract, next);
        return watch.unknown().length > 0;
      });
      expect(noticed).toEqual([0, 1, 2, 3, 4].filter((index) => !overlooked.includes(index)));
    },
  );

  test('is looked for in the first twenty elements of a list', () => {
    const listed = (odd: number) => [
      ...Array.from({ length: odd - 1 }, () => ({ name: 'a', credits: 0 })),
      { name: 'a', credits: 0, added: 1 },
    ];
    expect(watching({ ...row, by_model: listed(20) }).unknown()).toEqual(['by_model.added']);
    expect(watching({ ...row, by_model: listed(21) }).unknown()).toEqual([]);
  });

  test.each([[undefined], [null], ['text'], [[{ added: 1 }]], [{}]])(
    'is nothing where %j is an element',
    (odd) => {
      const watch = watching(odd);
      expect([watch.unknown(), watch.seen().size]).toEqual([[], 0]);
    },
  );
});

describe('a form is judged by its newest values', () => {
  const odd = (age: number, value: unknown = 'x') => ({ ...row, date: addDays(DAY, -age), credits: value });
  const fine = (age: number) => odd(age, 7);
  const byTime = (createdAt: unknown, credits: unknown) => ({ tier: 'standard', createdAt, credits });

  test.each<[string, readonly object[], boolean]>([
    ['of two days', [odd(0), odd(1), fine(2), fine(3)], true],
    ['in any order', [fine(3), odd(1), fine(2), odd(0)], true],
    ['not of one', [odd(0), fine(1)], false],
    ['of one in two elements', [odd(0), odd(0), fine(1)], true],
    ['but not if a third one is readable', [odd(0), odd(0), fine(0)], false],
    ['not of older ones', [fine(0), odd(1), odd(2)], false],
    ['however many days lack it or have nothing', [odd(0, null), odd(1), odd(2, ''), odd(3), fine(4)], true],
    ['not if the last but one is readable', [odd(0), fine(1), odd(2)], false],
    ['by time', [byTime(1000, 7), byTime('1970-01-01T00:00:03Z', 'x'), byTime('2000', 'x')], true],
    ['with the others first', [byTime(1000, 'x'), byTime(2000, 'x'), byTime(3000, 7)], false],
    ['with those of no time last', [byTime(1, 'x'), byTime(2, 'x'), byTime(null, 7)], true],
    ['but never by those of an odd time', [byTime(1, 'x'), byTime(2, 'x'), byTime('soon', 7)], true],
  ])('%s: %j is %j', (_case, elements, isNamed) => {
    expect(watching(...elements).unknown()).toEqual(isNamed ? ['credits'] : []);
  });

  test('in one run after another, where the same one counts once', () => {
    let before = new FieldWatch().odd();
    const named = [odd(6), odd(6), fine(5), odd(4), odd(3, null), odd(2), odd(2), fine(1)].map((element) => {
      const watch = new FieldWatch(before);
      watch.compare(contract, [element]);
      before = watch.odd();
      return watch.unknown();
    });
    expect(named).toEqual([[], [], [], [], [], ['credits'], [], []]);
    expect(before.size).toBe(0);
  });
});

describe('the fields of a day', () => {
  const all = ['adoption', 'by_model', 'client', 'credits', 'criteria', 'date', 'modes', 'owner', 'tier'];

  function fieldsOf(...parts: readonly object[]) {
    const seen = [...watching(...parts.map((part) => ({ ...row, ...part }))).seen()].sort(byName);
    const carried = seen.flatMap(([path, { last }]) => (last === DAY ? [path] : []));
    const lacking = seen.flatMap(([path, field]) => (field.lacking?.has(DAY) ? [path] : []));
    return { carried, lacking: lacking.filter((path) => !carried.includes(path)) };
  }

  test('are those of all of its elements, and the others are missing', () => {
    expect(fieldsOf({ credits: 1, tier: null }, { modes: {}, owner: { seats: 0 } })).toEqual({
      carried: ['credits', 'date', 'modes', 'owner', 'owner.seats', 'tier'],
      lacking: ['adoption', 'by_model', 'client', 'criteria'],
    });
  });

  test.each<[string, object]>([
    ['zeros', { credits: 0, modes: { off: 0 }, by_model: [{ name: 'a', credits: 0 }] }],
    ['negative amounts', { credits: -1 }],
    ['what describes more than the day', { adoption: 7 }],
    ['words', { tier: 'standard' }],
    ['a list in place of an amount', { credits: [7] }],
  ])('are not missing on a day that shows no more activity than %s', (_case, part) => {
    expect(fieldsOf(part).lacking).toEqual([]);
  });

  test.each<[string, object]>([
    ['an amount', { credits: 0.1 }],
    ['an amount as text', { credits: '7' }],
    ['an amount of an object', { owner: { seats: 1 } }],
    ['an amount by name', { modes: { off: 0, auto: 1 } }],
    [
      'an amount in a list',
      {
        by_model: [
          { name: 'a', credits: 2 },
          { name: 'b', credits: 0 },
        ],
      },
    ],
  ])('are missing on a day with %s', (_case, part) => {
    const { carried, lacking } = fieldsOf(part, {});
    expect(lacking).not.toEqual([]);
    expect([...carried, ...lacking].filter((path) => all.includes(path)).sort()).toEqual(all);
  });

  test('are known of days alone', () => {
    const seen = [...watching(row, { ...row, date: 'soon', modes: {} }, { credits: 1, owner: {} }, 7).seen()];
    expect(seen.map(([path]) => path)).toEqual(['date', 'credits', 'tier']);
    expect(new Set(seen.map(([, { last }]) => last))).toEqual(new Set([DAY]));
  });
});
