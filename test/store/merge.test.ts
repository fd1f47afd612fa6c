import { describe, expect, test } from 'vitest';
import type { RowParts } from '../../src/catalog/dataset.ts';
import { mergeRow } from '../../src/store/merge.ts';
import { dayNamed } from '../support/day.ts';
import { openStore } from './files.ts';

const parts: RowParts = {
  credits: { members: ['credits', 'byModel', 'tokens.input'] },
  cache: { members: ['tokens.cache'] },
};
const good = { credits: 10, byModel: [{ model: 'a', credits: 7 }], tokens: { input: 3, cache: 1 } };

describe('a day that is answered again', () => {
  test('stores complete parts, as a revision if they differ', () => {
    expect(mergeRow(good, { ...good, credits: 11 }, parts)).toEqual({
      row: { ...good, credits: 11 },
      isRevised: true,
      missing: 0,
    });
    expect(mergeRow(good, { ...good }, parts)).toEqual({ row: good, isRevised: false, missing: 0 });
  });

  test('keeps the row that is stored if the answer is the same', () => {
    const same = structuredClone({ ...good, teams: undefined });
    expect(mergeRow(good, same, parts).row).toBe(good);
    const faulty = { ...good, rejected: { cache: 1 } };
    expect(mergeRow(faulty, structuredClone(faulty), parts)).toEqual({
      row: faulty,
      isRevised: false,
      missing: 0,
    });
  });

  test('keeps a total with its breakdowns if any of them was rejected, and stores the other parts', () => {
    const worse = {
      credits: 12,
      byModel: [],
      tokens: { input: 9, cache: 5 },
      rejected: { credits: 1 },
    };
    expect(mergeRow(good, worse, parts)).toEqual({
      row: { ...good, tokens: { input: 3, cache: 5 }, rejected: { credits: 0 } },
      isRevised: true,
      missing: 0,
    });
    const same = { ...worse, tokens: { input: 9, cache: 1 } };
    expect(mergeRow(good, same, parts).isRevised).toBe(false);
  });

  test.each([
    ['the total', { byModel: good.byModel, tokens: good.tokens }],
    ['a breakdown', { credits: 12, tokens: good.tokens }],
    ['a member of a member', { credits: 12, byModel: [], tokens: { cache: 1 } }],
  ])('keeps the stored part where the answer leaves %s out', (_, answer) => {
    expect(mergeRow(good, answer, parts)).toEqual({
      row: { ...good, rejected: { credits: 0 } },
      isRevised: false,
      missing: 1,
    });
  });

  test('may lack optional members of a complete answer', () => {
    const people: RowParts = { people: { members: ['sum', 'teams'], mayLack: ['teams'] } };
    const stored = { sum: 1, teams: [1] };
    expect(mergeRow(stored, { sum: 1 }, people)).toEqual({ row: { sum: 1 }, isRevised: true, missing: 0 });
    expect(mergeRow(stored, { teams: [2] }, people)).toEqual({
      row: { ...stored, rejected: { people: 0 } },
      isRevised: false,
      missing: 1,
    });
  });

  test('is settled by a complete answer, which is not a revision of the damaged parts', () => {
    const damaged = { ...good, credits: undefined, rejected: { credits: 1 } };
    expect(mergeRow(damaged, good, parts)).toEqual({ row: good, isRevised: false, missing: 0 });
    expect(mergeRow({ ...good, rejected: { credits: 0 } }, good, parts)).toEqual({
      row: good,
      isRevised: false,
      missing: 0,
    });
  });

  test('keeps the less damaged of two', () => {
    const little = { ...good, rejected: { credits: 1 } };
    const much = { ...good, credits: 5, rejected: { credits: 2 } };
    expect(mergeRow(little, much, parts).row).toEqual(little);
    expect(mergeRow(much, little, parts).row).toEqual(little);
    const short = { ...little, credits: undefined };
    expect(mergeRow(little, short, parts).row).toEqual(little);
  });

  test('is not merged with a row that was made with other settings', () => {
    const people: RowParts = { people: { members: ['people'] } };
    const named = { identity: 'email', people: 'ann@acme.example' };
    const hashed = { identity: 'hash', rejected: { people: 1 } };
    expect(mergeRow(named, hashed, people).row).toEqual(hashed);
  });
});

describe('a part of a day that is answered again', () => {
  const two: RowParts = { two: { members: ['a', 'b'] } };
  const list: RowParts = {
    list: { members: ['n', 'of'], isCoarser: (before, after) => Number(before) > Number(after) },
  };
  test.each([
    // What is stored, what is answered, and what is stored then.
    [
      'one of two values is known, and the answer has neither',
      two,
      { a: 1 },
      {},
      { a: 1, rejected: { two: 0 } },
    ],
    [
      'one is known, and the answer rejects the other',
      two,
      { a: 1 },
      { a: 2, rejected: { two: 1 } },
      { a: 1, rejected: { two: 0 } },
    ],
    ['nothing is known', two, {}, { a: 2, rejected: { two: 1 } }, { a: 2, rejected: { two: 1 } }],
    [
      'as much is rejected as before',
      two,
      { a: 1, rejected: { two: 1 } },
      { a: 2, rejected: { two: 1 } },
      { a: 2, rejected: { two: 1 } },
    ],
    [
      'less is rejected, but a value is gone',
      two,
      { a: 1, rejected: { two: 2 } },
      { rejected: { two: 1 } },
      { a: 1, rejected: { two: 2 } },
    ],
    [
      'nothing is rejected any more, and a value is gone',
      two,
      { a: 1, rejected: { two: 1 } },
      { b: 1 },
      { b: 1 },
    ],
    ['the answer is coarser', list, { n: 2, of: 'x' }, { n: 1, of: 'y' }, { n: 2, of: 'x' }],
    ['the answer is finer', list, { n: 1, of: 'x' }, { n: 2, of: 'y' }, { n: 2, of: 'y' }],
    ['the answer is coarser than a damaged one', list, { n: 2, rejected: { list: 1 } }, { n: 1 }, { n: 1 }],
    [
      'the answer is coarser and damaged',
      list,
      { n: 2 },
      { n: 1, rejected: { list: 1 } },
      { n: 2, rejected: { list: 0 } },
    ],
  ] as const)('if %s', (_, of, stored, answered, expected) => {
    expect(mergeRow(stored, answered, of).row).toEqual(expected);
  });
});

describe('a breakdown of a day that is answered again', () => {
  const apart: RowParts = {
    models: { members: ['byModel'], breaksDown: ['total'] },
    users: { members: ['byUser'], breaksDown: ['total'] },
    total: { members: ['credits'] },
  };
  const whole = { credits: 10, byModel: [{ model: 'a', credits: 7 }], byUser: 9 };

  test('stays where the answer leaves it out beside the same total', () => {
    expect(mergeRow(whole, { credits: 10, byUser: 8 }, apart)).toEqual({
      row: { ...whole, byUser: 8, rejected: { models: 0 } },
      isRevised: true,
      missing: 1,
    });
  });

  test('takes no total with it: that of the answer is stored, without the breakdown of another one', () => {
    const { row, isRevised, missing } = mergeRow(whole, { credits: 50, byUser: 40 }, apart);
    expect(row).toEqual({ credits: 50, byUser: 40 });
    expect([isRevised, missing]).toEqual([true, 1]);
    expect(mergeRow(row, { credits: 60, byUser: 50 }, apart)).toEqual({
      row: { credits: 60, byUser: 50 },
      isRevised: true,
      missing: 0,
    });
  });

  test('that was rejected keeps what is stored beside the same total, and follows a revised one', () => {
    const faulty = { byModel: [{ model: 'a', credits: null }], byUser: 9, rejected: { models: 1 } };
    expect(mergeRow(whole, { credits: 10, ...faulty }, apart).row).toEqual({
      ...whole,
      rejected: { models: 0 },
    });
    expect(mergeRow(whole, { credits: 50, ...faulty }, apart).row).toEqual({ credits: 50, ...faulty });
  });

  test('stays beside the total that stays, since the new one was rejected or left out', () => {
    const newer = { byModel: [{ model: 'a', credits: 40 }], byUser: 45 };
    const stays = { ...whole, rejected: { total: 0 } };
    expect(mergeRow(whole, { ...newer, rejected: { total: 1 } }, apart).row).toEqual(stays);
    expect(mergeRow(whole, newer, apart).row).toEqual(stays);
  });

  test('stays where it was whole and the answer has more faults than the stored row, not where it has as many', () => {
    const stored = { ...whole, byModel: [{ model: 'a', credits: 1 }], rejected: { models: 2 } };
    const answer = (faults: number) => ({
      ...whole,
      byModel: [{ model: 'a', credits: faults }],
      rejected: { models: faults },
    });
    expect(mergeRow(stored, answer(2), apart).row).toEqual(answer(2));
    expect(mergeRow(stored, answer(1), apart).row).toEqual(answer(1));
    expect(mergeRow(stored, answer(3), apart).row).toEqual(stored);
  });

  test('of a row that an earlier release stored can have the faults of any of its parts', () => {
    const stored = { ...whole, byModel: [{ model: 'a', credits: 1 }], rejected: { credits: 1 } };
    const answer = { ...whole, byModel: [{ model: 'a', credits: null }], rejected: { models: 1 } };
    expect(mergeRow(stored, answer, apart).row).toEqual(answer);
  });
});

describe('the store', () => {
  const monday = dayNamed('2026-03-02');
  const answer = (row: unknown) => ({
    days: [monday],
    rows: new Map([[monday, row]]),
    parts,
    orgId: undefined,
    at: 1,
  });

  test('counts no revision for a worse answer and keeps the better row', async () => {
    const store = openStore(':memory:');
    await store.putDays('acme', 'tokens', answer(good));
    const worse = { ...good, credits: undefined, rejected: { credits: 1 } };
    expect((await store.putDays('acme', 'tokens', answer(worse))).revisions).toEqual([]);
    expect((await store.read('acme')).days('tokens').get(monday)).toEqual({
      ...good,
      rejected: { credits: 0 },
    });
  });

  test('keeps a stored document if it comes back damaged', async () => {
    const store = openStore(':memory:');
    const put = (body: string, damaged: readonly string[]) =>
      store.putDocuments('acme', 'readiness', {
        documents: new Map([['a', body]]),
        damaged: new Set(damaged),
        complete: true,
        orgId: undefined,
        at: 1,
      });
    await put('whole', []);
    await put('damaged', ['a']);
    expect((await store.read('acme')).documents('readiness')).toEqual(['whole']);
    await put('newer', []);
    expect((await store.read('acme')).documents('readiness')).toEqual(['newer']);
  });
});
