import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Day } from '../../src/catalog/day.ts';
import { createMemoryHistory } from '../../src/history/memory.ts';
import { fingerprint } from '../../src/history/merge.ts';
import { dayNamed } from '../support/day.ts';

const monday = dayNamed('2026-03-02');
const tuesday = dayNamed('2026-03-03');

function answer(days: readonly Day[], rows: readonly (readonly [Day, unknown])[], at = 1) {
  return { days, rows: new Map(rows), orgId: undefined, at };
}

describe('the history in memory', () => {
  test('distinguishes requested days from days with a row', async () => {
    const history = createMemoryHistory();
    await history.putDays('acme', 'tokens', answer([monday, tuesday], [[monday, { credits: 1 }]]));
    const days = (await history.read('acme')).days('tokens');
    expect([...days.keys()]).toEqual([monday, tuesday]);
    expect(days.get(tuesday)).toBeUndefined();
  });

  test('distinguishes a revised day from a new one and from an unchanged one', async () => {
    const history = createMemoryHistory();
    const first = await history.putDays('acme', 'tokens', answer([monday], [[monday, { a: 1, b: 2 }]]));
    const same = await history.putDays('acme', 'tokens', answer([monday], [[monday, { b: 2, a: 1 }]]));
    const other = await history.putDays('acme', 'tokens', answer([monday], [[monday, { a: 1, b: 3 }]]));
    expect([first.revisions.length, same.revisions.length]).toEqual([0, 0]);
    expect(other.revisions).toEqual([{ day: monday, before: { a: 1, b: 2 }, after: { a: 1, b: 3 } }]);
  });

  test('a first row that arrives late is not a revision, and an answer without a row removes none', async () => {
    const history = createMemoryHistory();
    await history.putDays('acme', 'tokens', answer([monday], []));
    expect(
      (await history.putDays('acme', 'tokens', answer([monday], [[monday, { a: 1 }]]))).revisions,
    ).toEqual([]);
    expect((await history.putDays('acme', 'tokens', answer([monday], []))).revisions).toEqual([]);
    expect((await history.read('acme')).days('tokens').get(monday)).toEqual({ a: 1 });
  });

  test('a snapshot that was read does not change', async () => {
    const history = createMemoryHistory();
    const before = await history.read('acme');
    await history.putDays('acme', 'tokens', answer([monday], [[monday, {}]], 7));
    expect(before.days('tokens').size).toBe(0);
    expect(before.answeredAt('tokens')).toBeUndefined();
    expect((await history.read('acme')).answeredAt('tokens')).toBe(7);
  });

  test('a complete listing replaces the documents, an incomplete one adds to them', async () => {
    const history = createMemoryHistory();
    const put = (ids: readonly string[], complete: boolean) =>
      history.putDocuments('acme', 'readiness', {
        documents: new Map(ids.map((id) => [id, id])),
        complete,
        orgId: 'org_1',
        at: 1,
      });
    await put(['a', 'b'], true);
    await put(['c'], false);
    expect((await history.read('acme')).documents('readiness')).toEqual(['a', 'b', 'c']);
    await put(['c'], true);
    expect((await history.read('acme')).documents('readiness')).toEqual(['c']);
    expect((await history.read('acme')).orgId).toBe('org_1');
  });

  test('organizations are separate', async () => {
    const history = createMemoryHistory();
    await history.putDays('acme', 'tokens', answer([monday], [[monday, {}]]));
    expect((await history.read('globex')).days('tokens').size).toBe(0);
  });
});

describe('the fingerprint', () => {
  test('does not depend on the order of keys or elements', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ n: fc.string(), v: fc.integer() })), (rows) => {
        const turned = [...rows].reverse().map(({ n, v }) => ({ v, n }));
        expect(fingerprint({ rows })).toBe(fingerprint({ rows: turned }));
      }),
    );
  });

  test('differs where a value differs', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        fc.pre(typeof a !== 'object' && typeof b !== 'object' && !Object.is(a, b) && a !== 0 && b !== 0);
        expect(fingerprint({ v: a })).not.toBe(fingerprint({ v: b }));
      }),
    );
  });
});
