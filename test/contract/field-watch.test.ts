import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { byName } from '../../src/catalog/object.ts';
import { apiContractOf } from '../../src/collectors/api-contract.ts';
import { createFieldWatch } from '../../src/pipeline/field-watch.ts';
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
  })
  .transform((row) => row);

const contract = apiContractOf({
  schema: element,
  unread: ['id', 'by_model.id'],
  values: { tier: ['Standard', 'auto_high'], modes: ['auto-high', 'off'] },
  beyondDay: ['adoption'],
});

function watching(...data: unknown[]) {
  const watch = createFieldWatch();
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
    ['no object', [{ owner: 1 }, { owner: [] }], ['owner']],
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
    [[60, 39, 1], true],
    [[60, 40, 1], false],
    [[250, 1], false],
  ])('is looked for in a hundred elements of answers with %j: %j', (sizes, isNoticed) => {
    const watch = createFieldWatch();
    for (const [index, length] of sizes.entries()) {
      const isLast = index === sizes.length - 1;
      const element = isLast ? { ...row, added: 1 } : row;
      watch.compare(
        contract,
        Array.from({ length }, () => element),
      );
    }
    expect(watch.unknown()).toEqual(isNoticed ? ['added'] : []);
  });

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

describe('the fields of a day', () => {
  const all = ['adoption', 'by_model', 'client', 'credits', 'date', 'modes', 'owner', 'tier'];

  function fieldsOf(...parts: readonly object[]) {
    const seen = [...watching(...parts.map((part) => ({ ...row, ...part }))).seen()].sort(byName);
    const carried = seen.flatMap(([path, { last }]) => (last === DAY ? [path] : []));
    const lacking = seen.flatMap(([path, field]) => (field.lacking?.has(DAY) ? [path] : []));
    return { carried, lacking: lacking.filter((path) => !carried.includes(path)) };
  }

  test('are those of all of its elements, and the others are missing', () => {
    expect(fieldsOf({ credits: 1, tier: null }, { modes: {}, owner: { seats: 0 } })).toEqual({
      carried: ['credits', 'date', 'modes', 'owner', 'owner.seats', 'tier'],
      lacking: ['adoption', 'by_model', 'client'],
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
