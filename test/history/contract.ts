import { describe, expect, test } from 'vitest';
import { addDays, type Day, startOf } from '../../src/catalog/day.ts';
import { ForeignAnswer, type History, UNCONFIRMED } from '../../src/history/history.ts';
import { dayNamed } from '../support/day.ts';
import { answer, contentOf, listing } from './files.ts';

const monday = dayNamed('2026-03-02');
const tuesday = dayNamed('2026-03-03');
const wednesday = dayNamed('2026-03-04');

/** The promises of every store of the history; `open` opens an empty one, which is closed after the test. */
export function describeHistory(place: string, open: () => Promise<History>): void {
  describe(`the history in ${place}`, () => {
    test('distinguishes requested days from days with a row', async () => {
      const history = await open();
      await history.putDays('acme', 'tokens', answer([monday, tuesday], { [monday]: { credits: 1 } }));
      const days = (await history.read('acme')).days('tokens');
      expect([...days.keys()].sort()).toEqual([monday, tuesday]);
      expect(days.get(tuesday)).toBeUndefined();
    });

    test('distinguishes a revised day from a new one and from an unchanged one', async () => {
      const history = await open();
      const first = await history.putDays('acme', 'tokens', answer([monday], { [monday]: { a: 1, b: 2 } }));
      const same = await history.putDays('acme', 'tokens', answer([monday], { [monday]: { b: 2, a: 1 } }));
      const other = await history.putDays('acme', 'tokens', answer([monday], { [monday]: { a: 1, b: 3 } }));
      expect([first.revisions.length, same.revisions.length]).toEqual([0, 0]);
      expect(other.revisions).toEqual([{ day: monday, before: { a: 1, b: 2 }, after: { a: 1, b: 3 } }]);
    });

    test('keeps a row that a later answer lacks, and the parts of a row that a later answer has damaged', async () => {
      const history = await open();
      const parts = {
        total: { fields: ['t'], members: ['total'] },
        rest: { fields: ['r'], members: ['rest'] },
      };
      await history.putDays('acme', 'tokens', {
        ...answer([monday], { [monday]: { total: 1, rest: 2 } }),
        parts,
      });
      await history.putDays('acme', 'tokens', answer([monday]));
      const worse = { rest: 3, rejected: { total: 1 } };
      const stored = await history.putDays('acme', 'tokens', {
        ...answer([monday], { [monday]: worse }),
        parts,
      });
      expect((await history.read('acme')).days('tokens').get(monday)).toEqual({
        ...{ total: 1, rest: 3, rejected: { total: 0 } },
      });
      expect(stored.revisions).toHaveLength(1);
    });

    test('what holds the data of a dataset is another object only once the data has changed', async () => {
      const history = await open();
      const content = async (dataset: 'tokens' | 'readiness') =>
        (await history.read('acme')).contentOf(dataset);
      const days = (credits: number) => answer([monday, tuesday], { [monday]: { credits } });
      const listed = (complete: boolean, ...ids: readonly string[]) => ({
        documents: new Map(ids.map((id) => [id, { id, text: `of ${id}` }])),
        ...{ complete, orgId: undefined, at: 2 },
      });
      await history.putDays('acme', 'tokens', days(1));
      await history.putDocuments('acme', 'readiness', listed(true, 'a', 'b'));
      const [tokens, reports] = [await content('tokens'), await content('readiness')];

      await history.putDays('acme', 'tokens', days(1));
      await history.putDays('acme', 'tokens', answer([tuesday]));
      await history.putSucceeded('acme', 'tokens', 9);
      await history.putDocuments('acme', 'readiness', listed(true, 'b', 'a'));
      await history.putDocuments('acme', 'readiness', listed(false, 'b'));
      expect(isSame(await content('tokens'), tokens)).toBe(true);
      expect(isSame(await content('readiness'), reports)).toBe(true);
      expect((await history.read('acme')).answeredAt('readiness')).toBe(2);

      await history.putDays('acme', 'tokens', days(2));
      await history.putDocuments('acme', 'readiness', listed(true, 'a'));
      expect(isSame(await content('tokens'), tokens)).toBe(false);
      expect(isSame(await content('readiness'), reports)).toBe(false);
      expect((await history.read('acme')).documents('readiness')).toEqual([{ id: 'a', text: 'of a' }]);
    });

    test('detects and merges the revision of a day of a year ago', async () => {
      const history = await open();
      const days = Array.from({ length: 400 }, (_, index) => addDays(wednesday, -index));
      const filled = days.filter((_, index) => index % 7 > 1);
      const rows = Object.fromEntries(filled.map((day, index) => [day, { total: index, rest: [day, 'ü'] }]));
      const parts = {
        total: { fields: ['t'], members: ['total'] },
        rest: { fields: ['r'], members: ['rest'] },
      };
      for (let from = 0; from < days.length; from += 30) {
        const window = days.slice(from, from + 30);
        const within = Object.fromEntries(
          Object.entries(rows).filter(([day]) => window.includes(day as Day)),
        );
        await history.putDays('acme', 'tokens', answer(window, within));
      }
      const old = filled.at(-3) ?? monday;
      const before = { total: filled.length - 3, rest: [old, 'ü'] };
      const same = await history.putDays('acme', 'tokens', {
        ...answer([old], { [old]: { rest: [old, 'ü'], total: before.total } }),
        parts,
      });
      expect(same.revisions).toEqual([]);
      const worse = { total: 1, rejected: { rest: 1 } };
      const stored = await history.putDays('acme', 'tokens', { ...answer([old], { [old]: worse }), parts });
      const after = { total: 1, rest: [old, 'ü'], rejected: { rest: 0 } };
      expect(stored.revisions).toEqual([{ day: old, before, after }]);
      const known = (await history.read('acme')).days('tokens');
      expect(known.size).toBe(400);
      expect(new Map(known)).toEqual(new Map(days.map((day) => [day, day === old ? after : rows[day]])));
      const unfilled = days.filter((day) => known.get(day) === undefined);
      expect(unfilled).toEqual(days.filter((day) => !filled.includes(day)));
    });

    test('a snapshot that was read does not change', async () => {
      const history = await open();
      const before = await history.read('acme');
      await history.putDays('acme', 'tokens', answer([monday], { [monday]: {} }, 7));
      expect(before.days('tokens').size).toBe(0);
      expect(before.answeredAt('tokens')).toBeUndefined();
      expect((await history.read('acme')).answeredAt('tokens')).toBe(7);
    });

    test('a complete listing replaces the documents, an incomplete one adds to them, a damaged one replaces none', async () => {
      const history = await open();
      const documents = async () => [...(await history.read('acme')).documents('readiness')].sort();
      await history.putDocuments('acme', 'readiness', listing({ a: 'a', b: 'b' }));
      await history.putDocuments('acme', 'readiness', listing({ c: 'c' }, false));
      expect(await documents()).toEqual(['a', 'b', 'c']);
      await history.putDocuments('acme', 'readiness', {
        ...listing({ b: 'worse', c: 'other' }),
        damaged: new Set(['b']),
      });
      expect(await documents()).toEqual(['b', 'other']);
    });

    test('refuses an answer of another organization and changes nothing', async () => {
      const history = await open();
      await history.putDays('acme', 'tokens', answer([monday], { [monday]: { n: 1 } }, 1, 'org_1'));
      const before = await contentOf(history);
      const other = answer([monday], { [monday]: { n: 2 } }, 2, 'org_2');
      await expect(history.putDays('acme', 'tokens', other)).rejects.toThrow(ForeignAnswer);
      expect(await contentOf(history)).toEqual(before);
    });

    test('sets the history of a former organization aside, and restores it', async () => {
      const history = await open();
      await history.putDays('acme', 'tokens', answer([monday], { [monday]: { n: 1 } }, 1, 'org_1'));
      await history.putDocuments('acme', 'readiness', listing({ a: 'a' }));
      await history.putConfirmedKey('acme', 'key');
      const before = await contentOf(history);
      await history.adopt('acme', 'org_2');
      const now = await history.read('acme');
      expect([now.orgId, now.confirmedKey, now.days('tokens').size]).toEqual(['org_2', UNCONFIRMED, 0]);
      await history.putDays('acme', 'tokens', answer([tuesday], { [tuesday]: { n: 2 } }, 2, 'org_2'));
      await history.adopt('acme', 'org_1');
      expect(await contentOf(history)).toEqual(before);
      await history.adopt('acme', 'org_2');
      expect([...(await history.read('acme')).days('tokens')]).toEqual([[tuesday, { n: 2 }]]);
    });

    test('keeps when runs have succeeded and passes were made, and how many requests were sent', async () => {
      const history = await open();
      await history.putRevisedOn('acme', 'tokens', tuesday);
      await history.putSucceeded('acme', 'tokens', 1_772_582_400_123);
      await history.putRequests('acme', { day: monday, requests: 20 });
      await history.putRequests('acme', { day: tuesday, requests: 10 });
      expect(await history.revisedOn('acme', 'tokens')).toBe(tuesday);
      expect((await history.read('acme')).succeededAt('tokens')).toBe(1_772_582_400_123);
      expect(await history.requestsOf('acme')).toEqual({ day: tuesday, requests: 10 });
      expect(await history.requestsOf('globex')).toBeUndefined();
    });

    test('amends rows of every organization, those set aside included', async () => {
      const history = await open();
      await history.putDays('acme', 'users', answer([monday], { [monday]: { name: 'ann' } }, 1, 'org_1'));
      await history.adopt('acme', 'org_2');
      await history.putDays('globex', 'users', answer([tuesday], { [tuesday]: { name: 'bob' } }));
      const seen: unknown[] = [];
      await history.amend('users', (row, day, org) => {
        seen.push(`${org} ${day}`);
        return { ...(row as object), name: 'nobody' };
      });
      expect([...new Set(seen)].sort()).toEqual([`acme ${monday}`, `globex ${tuesday}`]);
      await history.adopt('acme', 'org_1');
      expect((await history.read('acme')).days('users').get(monday)).toEqual({ name: 'nobody' });
      expect((await history.read('globex')).days('users').get(tuesday)).toEqual({ name: 'nobody' });
    });

    test('removes old days, but the newest row of a polled organization stays', async () => {
      const history = await open();
      const old = addDays(monday, -100);
      await history.putDays(
        'acme',
        'tokens',
        answer([monday, tuesday, wednesday], rowsOf(monday, wednesday)),
      );
      await history.putDays('globex', 'tokens', answer([old, addDays(old, 1)], rowsOf(old, addDays(old, 1))));
      await history.sweep({ days: 2, now: startOf(addDays(wednesday, 1)), orgs: ['acme', 'globex'] });
      expect([...(await history.read('acme')).days('tokens').keys()].sort()).toEqual([tuesday, wednesday]);
      expect([...(await history.read('globex')).days('tokens').keys()]).toEqual([addDays(old, 1)]);
    });

    test('removes nothing after a step of the clock, before it has lasted a day', async () => {
      const history = await open();
      await history.putDays('acme', 'tokens', answer([monday, tuesday], rowsOf(monday, tuesday)));
      const retention = { days: 3, now: startOf(addDays(tuesday, 1)), orgs: ['acme'] };
      await history.sweep(retention);
      const later = addDays(tuesday, 100);
      await history.putDays('acme', 'tokens', answer([later], rowsOf(later)));
      await history.sweep({ ...retention, now: startOf(addDays(later, 1)) });
      expect((await history.read('acme')).days('tokens').size).toBe(3);
      await history.sweep({ ...retention, now: startOf(addDays(later, 3)) });
      expect([...(await history.read('acme')).days('tokens').keys()]).toEqual([later]);
    });

    test('stores texts of any content, and identities of any length', async () => {
      const history = await open();
      const odd = {
        text: 'a\u0000b\ud800 "\\ \u2028 é 日本',
        big: 9_007_199_254_740_991,
        small: 0.1,
        no: null,
      };
      await history.putDays('acme', 'tokens', answer([monday], { [monday]: odd }));
      await history.putDocuments(
        'acme',
        'readiness',
        listing({ ['x'.repeat(10_000)]: odd, 'a\u0000b': 'nul' }),
      );
      await history.putDocuments(
        'acme',
        'readiness',
        listing({ ['x'.repeat(10_000)]: odd, 'a\u0000b': 'nul' }),
      );
      const org = await history.read('acme');
      expect(org.days('tokens').get(monday)).toEqual(odd);
      expect(org.documents('readiness')).toHaveLength(2);
    });
  });
}

function rowsOf(...days: readonly Day[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(days.map((day) => [day, { day }]));
}

function isSame(one: readonly object[], other: readonly object[]): boolean {
  return one.length === other.length && one.every((part, at) => part === other[at]);
}
