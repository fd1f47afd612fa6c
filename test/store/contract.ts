import { describe, expect, test } from 'vitest';
import type { SeenField } from '../../src/catalog/api-contract.ts';
import { addDays, type Day, startOf } from '../../src/catalog/day.ts';
import { ForeignAnswer, RowNotRead, type Store, UNCONFIRMED } from '../../src/store/store.ts';
import { dayNamed } from '../support/day.ts';
import { answer, contentOf, listing } from './files.ts';

const monday = dayNamed('2026-03-02');
const tuesday = dayNamed('2026-03-03');
const wednesday = dayNamed('2026-03-04');

/** The promises of the store in every place; `open` opens an empty one, which is closed after the test. */
export function describeStore(place: string, open: () => Promise<Store>): void {
  describe(`the store in ${place}`, () => {
    test('distinguishes requested days from days with a row', async () => {
      const store = await open();
      await store.putDays('acme', 'tokens', answer([monday, tuesday], { [monday]: { credits: 1 } }));
      const days = (await store.read('acme')).days('tokens');
      expect([...days.keys()].sort()).toEqual([monday, tuesday]);
      expect(days.get(tuesday)).toBeUndefined();
    });

    test('distinguishes a revised day from a new one and from an unchanged one', async () => {
      const store = await open();
      const first = await store.putDays('acme', 'tokens', answer([monday], { [monday]: { a: 1, b: 2 } }));
      const same = await store.putDays('acme', 'tokens', answer([monday], { [monday]: { b: 2, a: 1 } }));
      const other = await store.putDays('acme', 'tokens', answer([monday], { [monday]: { a: 1, b: 3 } }));
      expect([first.revisions.length, same.revisions.length]).toEqual([0, 0]);
      expect(other.revisions).toEqual([{ day: monday, before: { a: 1, b: 2 }, after: { a: 1, b: 3 } }]);
    });

    test('keeps a row that a later answer lacks, and the parts of a row that a later answer has damaged', async () => {
      const store = await open();
      const parts = {
        total: { fields: ['t'], members: ['total'] },
        rest: { fields: ['r'], members: ['rest'] },
      };
      await store.putDays('acme', 'tokens', {
        ...answer([monday], { [monday]: { total: 1, rest: 2 } }),
        parts,
      });
      await store.putDays('acme', 'tokens', answer([monday]));
      const worse = { rest: 3, rejected: { total: 1 } };
      const stored = await store.putDays('acme', 'tokens', {
        ...answer([monday], { [monday]: worse }),
        parts,
      });
      expect((await store.read('acme')).days('tokens').get(monday)).toEqual({
        ...{ total: 1, rest: 3, rejected: { total: 0 } },
      });
      expect(stored.revisions).toHaveLength(1);
    });

    test('counts when a day appeared and when it last changed, each once, with what belongs to its organization', async () => {
      const store = await open();
      const hour = 3_600_000;
      const ended = startOf(tuesday);
      const put = (credits: number, at: number, isCurrent = true) =>
        store.putDays('acme', 'tokens', {
          ...answer([monday], { [monday]: { credits } }, at, 'org_1'),
          isCurrent: () => isCurrent,
          lags: { isNews: () => true, isNextPoll: true, comparedDays: 2 },
        });
      const published = { 'published 7200': [1, 1.5 * hour] };
      const first = await put(1, ended + 1.5 * hour);
      expect(first.lags).toEqual(published);
      // A change of the platform, one of other settings, and the last comparison.
      expect((await put(2, ended + 4 * hour)).lags).toEqual(published);
      await put(3, ended + 6 * hour, false);
      await put(3, ended + 25 * hour);
      await put(4, ended + 30 * hour);
      const lags = new Map([['tokens', { ...published, 'settled 21600': [1, 4 * hour] }]]);
      expect(await store.dayLags('acme')).toEqual(lags);
      await store.adopt('acme', 'org_2');
      expect(await store.dayLags('acme')).toEqual(new Map());
      await store.adopt('acme', 'org_1');
      expect(await store.dayLags('acme')).toEqual(lags);
    });

    test('finds a field missing after seven active days without it, where it was learned from accepted answers', async () => {
      const store = await open();
      const lags = { isNews: () => true, isNextPoll: true, comparedDays: 2 };
      const later = Array.from({ length: 7 }, (_, index) => addDays(tuesday, index));
      const put = (org: string, credits: SeenField, orgId = 'org_1') =>
        store.putDays(org, 'tokens', { ...answer([]), orgId, lags, seen: new Map([['credits', credits]]) });
      const missing = async (org: string, days: readonly Day[]) =>
        (await put(org, { lacking: new Set(days) })).missingFields;
      await put('acme', { last: monday });
      expect(await missing('acme', later.slice(0, 6))).toEqual([]);
      expect(await missing('other', later)).toEqual([]);
      await expect(put('acme', { last: later[6] }, 'org_2')).rejects.toThrow(ForeignAnswer);
      expect(await missing('acme', later.slice(6))).toEqual(['credits']);
      expect((await store.putDays('acme', 'tokens', answer([]))).missingFields).toBeUndefined();
      await store.adopt('acme', 'org_2');
      const unknown = { lacking: new Set(later) };
      expect((await put('acme', unknown, 'org_2')).missingFields).toEqual([]);
      await store.adopt('acme', 'org_1');
      expect(await missing('acme', [])).toEqual(['credits']);
    });

    test('raises the revision of a dataset once its rows, documents, coverage or last pass have changed, and only then', async () => {
      const store = await open();
      const revisionOf = async (dataset: 'tokens' | 'readiness') =>
        (await store.standing('acme')).dataset(dataset).revision;
      const days = (credits: number) => answer([monday, tuesday], { [monday]: { credits } });
      const listed = (complete: boolean, ...ids: readonly string[]) => ({
        documents: new Map(ids.map((id) => [id, { id, text: `of ${id}` }])),
        ...{ complete, orgId: undefined, at: 2 },
      });
      expect([await revisionOf('tokens'), await revisionOf('readiness')]).toEqual([0, 0]);
      await store.putDays('acme', 'tokens', days(1));
      await store.putDocuments('acme', 'readiness', listed(true, 'a', 'b'));
      const [tokens, reports] = [await revisionOf('tokens'), await revisionOf('readiness')];
      expect([tokens, reports]).toEqual([1, 1]);

      await store.putDays('acme', 'tokens', days(1));
      await store.putDays('acme', 'tokens', answer([tuesday]));
      await store.putSucceeded('acme', 'tokens', 9);
      await store.putConfirmedKey('acme', 'key');
      await store.putDocuments('acme', 'readiness', listed(true, 'b', 'a'));
      await store.putDocuments('acme', 'readiness', listed(false, 'b'));
      expect(await revisionOf('tokens')).toBe(tokens);
      expect(await revisionOf('readiness')).toBe(reports);
      expect((await store.standing('acme')).dataset('readiness').answeredAt).toBe(2);

      await store.putDays('acme', 'tokens', answer([wednesday]));
      expect(await revisionOf('tokens')).toBe(tokens + 1);
      const lags = { isNews: () => true, isNextPoll: true, comparedDays: 7 };
      const seen = new Map([['billable_tokens', { last: wednesday }]]);
      await store.putDays('acme', 'tokens', { ...answer([wednesday]), lags, seen });
      await store.putRevisedOn('acme', 'tokens', wednesday);
      expect(await revisionOf('tokens')).toBe(tokens + 2);
      await store.putRevisedOn('acme', 'tokens', wednesday);
      await store.putDays('acme', 'tokens', {
        ...days(1),
        completes: { succeededAt: 5, revisedOn: wednesday },
      });
      expect(await revisionOf('tokens')).toBe(tokens + 2);
      await store.putDays('acme', 'tokens', days(2));
      expect(await revisionOf('tokens')).toBe(tokens + 3);
      await store.putDocuments('acme', 'readiness', listed(true, 'a'));
      expect(await revisionOf('readiness')).toBe(reports + 1);
      expect(await store.revisions()).toEqual(
        new Map([['acme', expect.stringMatching(new RegExp(` ${tokens + reports + 4}$`))]]),
      );
      expect((await store.read('acme')).documents('readiness')).toEqual([{ id: 'a', text: 'of a' }]);
    });

    test('reads no row before the day it is asked for, and says so', async () => {
      const store = await open();
      await store.putDays('acme', 'tokens', answer([monday, tuesday, wednesday], rowsOf(monday, wednesday)));
      const days = (await store.read('acme', new Map([['tokens', tuesday]]))).days('tokens');
      expect([...days.keys()]).toEqual([monday, tuesday, wednesday]);
      expect([days.isFilled(monday), days.isFilled(tuesday)]).toEqual([true, false]);
      expect(days.get(wednesday)).toEqual({ day: wednesday });
      expect(days.get(tuesday)).toBeUndefined();
      expect(() => days.get(monday)).toThrow(RowNotRead);
      const others = (await store.read('acme', new Map([['tools', monday]]))).days('tokens');
      expect(others.has(monday)).toBe(true);
      expect(() => others.get(monday)).toThrow(RowNotRead);
    });

    test('reads one dataset of one organization likewise, by default without any row', async () => {
      const store = await open();
      await store.putDays(
        'acme',
        'tokens',
        answer([monday, tuesday, wednesday], rowsOf(monday, wednesday), 7),
      );
      await store.putDays('acme', 'tools', answer([addDays(monday, -1)], {}));
      await store.putDays('globex', 'tokens', answer([addDays(monday, -2)], {}));
      const { days, ...standing } = await store.readDataset('acme', 'tokens');
      expect(standing).toEqual((await store.standing('acme')).dataset('tokens'));
      expect(standing.answeredAt).toBe(7);
      expect([...days.keys()]).toEqual([monday, tuesday, wednesday]);
      expect([days.isFilled(monday), days.isFilled(tuesday)]).toEqual([true, false]);
      expect(() => days.get(wednesday)).toThrow(RowNotRead);
      const since = (await store.readDataset('acme', 'tokens', tuesday)).days;
      expect(since.get(wednesday)).toEqual({ day: wednesday });
      expect(() => since.get(monday)).toThrow(RowNotRead);
      expect((await store.readDataset('initech', 'tokens')).days.size).toBe(0);
    });

    test('detects and merges the revision of a day of a year ago', async () => {
      const store = await open();
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
        await store.putDays('acme', 'tokens', answer(window, within));
      }
      const old = filled.at(-3) ?? monday;
      const before = { total: filled.length - 3, rest: [old, 'ü'] };
      const same = await store.putDays('acme', 'tokens', {
        ...answer([old], { [old]: { rest: [old, 'ü'], total: before.total } }),
        parts,
      });
      expect(same.revisions).toEqual([]);
      const worse = { total: 1, rejected: { rest: 1 } };
      const stored = await store.putDays('acme', 'tokens', { ...answer([old], { [old]: worse }), parts });
      const after = { total: 1, rest: [old, 'ü'], rejected: { rest: 0 } };
      expect(stored.revisions).toEqual([{ day: old, before, after }]);
      const known = (await store.read('acme')).days('tokens');
      expect(known.size).toBe(400);
      expect(days.map((day) => known.get(day))).toEqual(days.map((day) => (day === old ? after : rows[day])));
      const unfilled = days.filter((day) => known.get(day) === undefined);
      expect(unfilled).toEqual(days.filter((day) => !filled.includes(day)));
    });

    test('a snapshot that was read does not change', async () => {
      const store = await open();
      const before = await store.read('acme');
      await store.putDays('acme', 'tokens', answer([monday], { [monday]: {} }, 7));
      expect(before.days('tokens').size).toBe(0);
      expect(before.dataset('tokens').answeredAt).toBeUndefined();
      expect((await store.read('acme')).dataset('tokens').answeredAt).toBe(7);
    });

    test('a complete listing replaces the documents, an incomplete one adds to them, a damaged one replaces none', async () => {
      const store = await open();
      const documents = async () => [...(await store.read('acme')).documents('readiness')].sort();
      await store.putDocuments('acme', 'readiness', listing({ a: 'a', b: 'b' }));
      await store.putDocuments('acme', 'readiness', listing({ c: 'c' }, false));
      expect(await documents()).toEqual(['a', 'b', 'c']);
      await store.putDocuments('acme', 'readiness', {
        ...listing({ b: 'worse', c: 'other' }),
        damaged: new Set(['b']),
      });
      expect(await documents()).toEqual(['b', 'other']);
    });

    test('refuses an answer of another organization and changes nothing', async () => {
      const store = await open();
      await store.putDays('acme', 'tokens', answer([monday], { [monday]: { n: 1 } }, 1, 'org_1'));
      const before = await contentOf(store);
      const other = answer([monday], { [monday]: { n: 2 } }, 2, 'org_2');
      await expect(store.putDays('acme', 'tokens', other)).rejects.toThrow(ForeignAnswer);
      expect(await contentOf(store)).toEqual(before);
    });

    test('sets the history of a former organization aside, and restores it', async () => {
      const store = await open();
      await store.putDays('acme', 'tokens', answer([monday], { [monday]: { n: 1 } }, 1, 'org_1'));
      await store.putDocuments('acme', 'readiness', listing({ a: 'a' }));
      await store.putConfirmedKey('acme', 'key');
      const before = await contentOf(store);
      await store.adopt('acme', 'org_2');
      const now = await store.read('acme');
      expect([now.orgId, now.confirmedKey, now.days('tokens').size]).toEqual(['org_2', UNCONFIRMED, 0]);
      await store.putDays('acme', 'tokens', answer([tuesday], { [tuesday]: { n: 2 } }, 2, 'org_2'));
      await store.adopt('acme', 'org_1');
      expect(await contentOf(store)).toEqual(before);
      await store.adopt('acme', 'org_2');
      const { days } = await store.read('acme');
      expect([...days('tokens').keys()].map((day) => days('tokens').get(day))).toEqual([{ n: 2 }]);
    });

    test('keeps when runs have succeeded and passes were made, and how many requests were sent', async () => {
      const store = await open();
      await store.putRevisedOn('acme', 'tokens', tuesday);
      await store.putSucceeded('acme', 'tokens', 1_772_582_400_123);
      await store.putRequests('acme', { day: monday, requests: 20 });
      await store.putRequests('acme', { day: tuesday, requests: 10 });
      const known = async () => {
        const { revisedOn, succeededAt } = (await store.standing('acme')).dataset('tokens');
        return [revisedOn, succeededAt];
      };
      expect(await known()).toEqual([tuesday, 1_772_582_400_123]);
      const completes = { succeededAt: 1_772_582_400_124, revisedOn: wednesday };
      await store.putDays('acme', 'tokens', { ...answer([monday]), completes });
      expect(await known()).toEqual([wednesday, 1_772_582_400_124]);
      await store.putDays('acme', 'tokens', { ...answer([monday]), completes: { succeededAt: 7 } });
      expect(await known()).toEqual([wednesday, 7]);
      expect(await store.requestsOf('acme')).toEqual({ day: tuesday, requests: 10 });
      expect(await store.requestsOf('globex')).toBeUndefined();
    });

    test('amends rows of every organization, those set aside included', async () => {
      const store = await open();
      await store.putDays('acme', 'users', answer([monday], { [monday]: { name: 'ann' } }, 1, 'org_1'));
      await store.adopt('acme', 'org_2');
      await store.putDays('globex', 'users', answer([tuesday], { [tuesday]: { name: 'bob' } }));
      const seen: unknown[] = [];
      await store.amend('users', (row, day, org) => {
        seen.push(`${org} ${day}`);
        return { ...(row as object), name: 'nobody' };
      });
      expect([...new Set(seen)].sort()).toEqual([`acme ${monday}`, `globex ${tuesday}`]);
      await store.adopt('acme', 'org_1');
      expect((await store.read('acme')).days('users').get(monday)).toEqual({ name: 'nobody' });
      expect((await store.read('globex')).days('users').get(tuesday)).toEqual({ name: 'nobody' });
    });

    test('removes old days, but the newest row of a polled organization stays', async () => {
      const store = await open();
      const old = addDays(monday, -100);
      await store.putDays('acme', 'tokens', answer([monday, tuesday, wednesday], rowsOf(monday, wednesday)));
      await store.putDays('globex', 'tokens', answer([old, addDays(old, 1)], rowsOf(old, addDays(old, 1))));
      await store.sweep({ days: 2, now: startOf(addDays(wednesday, 1)), orgs: ['acme', 'globex'] });
      expect([...(await store.read('acme')).days('tokens').keys()].sort()).toEqual([tuesday, wednesday]);
      expect([...(await store.read('globex')).days('tokens').keys()]).toEqual([addDays(old, 1)]);
    });

    test('removes nothing after a step of the clock, before it has lasted a day', async () => {
      const store = await open();
      await store.putDays('acme', 'tokens', answer([monday, tuesday], rowsOf(monday, tuesday)));
      const retention = { days: 3, now: startOf(addDays(tuesday, 1)), orgs: ['acme'] };
      await store.sweep(retention);
      const later = addDays(tuesday, 100);
      await store.putDays('acme', 'tokens', answer([later], rowsOf(later)));
      await store.sweep({ ...retention, now: startOf(addDays(later, 1)) });
      expect((await store.read('acme')).days('tokens').size).toBe(3);
      await store.sweep({ ...retention, now: startOf(addDays(later, 3)) });
      expect([...(await store.read('acme')).days('tokens').keys()]).toEqual([later]);
    });

    test('stores texts of any content, and identities of any length', async () => {
      const store = await open();
      const odd = {
        text: 'a\u0000b\ud800 "\\ \u2028 é 日本',
        big: 9_007_199_254_740_991,
        small: 0.1,
        no: null,
      };
      await store.putDays('acme', 'tokens', answer([monday], { [monday]: odd }));
      await store.putDocuments(
        'acme',
        'readiness',
        listing({ ['x'.repeat(10_000)]: odd, 'a\u0000b': 'nul', '': 'empty' }),
      );
      await store.putDocuments(
        'acme',
        'readiness',
        listing({ ['x'.repeat(10_000)]: odd, 'a\u0000b': 'nul', '': 'empty' }),
      );
      const org = await store.read('acme');
      expect(org.days('tokens').get(monday)).toEqual(odd);
      expect(org.documents('readiness')).toHaveLength(3);
    });
  });
}

function rowsOf(...days: readonly Day[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(days.map((day) => [day, { day }]));
}
