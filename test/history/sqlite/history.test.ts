import { copyFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DatasetName } from '../../../src/catalog/dataset.ts';
import { addDays, type Day, startOf } from '../../../src/catalog/day.ts';
import { ForeignAnswer, type History, UNCONFIRMED } from '../../../src/history/history.ts';
import { createMemoryHistory } from '../../../src/history/memory.ts';
import { dayNamed } from '../../support/day.ts';
import { propertyRuns } from '../../support/thoroughness.ts';
import { answer, bytesIn, contentOf, createDirectory, listing, openHistory } from '../files.ts';

const monday = dayNamed('2026-03-02');
const tuesday = dayNamed('2026-03-03');

function fileIn(directory: string): string {
  return path.join(directory, 'history.db');
}

/** Sets the retention such that this day and later ones are kept: it is the newest known one. */
async function retainFrom(history: History, firstDay: Day): Promise<void> {
  await history.putDays('newest', 'tokens', answer([firstDay], { [firstDay]: {} }, startOf(firstDay)));
  await history.sweep({ days: 1, now: startOf(addDays(firstDay, 1)), orgs: ['acme', 'newest'] });
}

describe('a history in a file', () => {
  test('is the same after it was closed and opened again', async () => {
    const file = fileIn(createDirectory());
    const first = await openHistory(file);
    await first.putDays(
      'acme',
      'tokens',
      answer([monday, tuesday], { [monday]: { credits: 1 } }, 5, 'org_1'),
    );
    await first.putDocuments('acme', 'readiness', listing({ a: { id: 'a' }, b: { id: 'b' } }));
    await first.putRevisedOn('acme', 'tokens', tuesday);
    const before = await contentOf(first);
    await first.close();
    const again = await openHistory(file);
    expect(await contentOf(again)).toEqual(before);
    expect(again.isPersistent()).toBe(true);
    const org = await again.read('acme');
    expect([org.orgId, org.answeredAt('tokens')]).toEqual(['org_1', 5]);
    expect([...org.days('tokens')]).toEqual([
      [monday, { credits: 1 }],
      [tuesday, undefined],
    ]);
  });

  test('stores answers that arrive together in one transaction', async () => {
    const file = fileIn(createDirectory());
    const begun: string[] = [];
    const history = await openHistory(file, {
      openDatabase(location) {
        const db = new DatabaseSync(location);
        const exec = db.exec.bind(db);
        db.exec = (sql) => {
          if (sql.startsWith('BEGIN')) begun.push(sql);
          exec(sql);
        };
        return db;
      },
    });
    begun.length = 0;
    const names = Array.from({ length: 20 }, (_, index) => `org-${index}`);
    await Promise.all(
      names.map((name) => history.putDays(name, 'tokens', answer([monday], { [monday]: {} }))),
    );
    expect(begun).toHaveLength(1);
    await history.putSucceeded('org-0', 'tokens', 5);
    expect(begun).toHaveLength(2);
    const before = await contentOf(history, names);
    await history.close();
    expect(await contentOf(await openHistory(file), names)).toEqual(before);
  });

  test('of years is the same after it was opened again, but for altered rows, which are unknown', async () => {
    const file = fileIn(createDirectory());
    const first = await openHistory(file);
    const days = Array.from({ length: 700 }, (_, index) => addDays(monday, -index));
    const rowOf = (day: Day, index: number) =>
      index % 100 === 7 ? { day, text: 'x'.repeat(40_000) } : { day, index, list: ['ü', null] };
    const rows = Object.fromEntries(days.map((day, index) => [day, rowOf(day, index)]));
    for (const day of days.filter((_, index) => index % 9 === 0)) delete rows[day];
    await first.putDays('acme', 'tokens', answer(days, rows));
    const reports = Array.from({ length: 300 }, (_, id) => [`r${id}`, { id, text: 'y'.repeat(id * 40) }]);
    await first.putDocuments('acme', 'readiness', listing(Object.fromEntries(reports)));
    await first.putDocuments('acme', 'tools', listing(Object.fromEntries(reports.slice(0, 20))));
    const before = await contentOf(first);
    await first.close();
    const same = await openHistory(file);
    expect(await contentOf(same)).toEqual(before);
    await same.close();

    const altered = days.filter((_, index) => [400, 401, 402].includes(index));
    const db = new DatabaseSync(file);
    for (const [index, set] of [`row = '{"n":1}'`, "row = '', sum = 0", 'row = NULL, form = 2'].entries())
      db.prepare(`UPDATE day SET ${set} WHERE day = ?`).run(altered[index] ?? '');
    db.close();
    const again = await openHistory(file);
    const known = (await again.read('acme')).days('tokens');
    expect(days.filter((day) => !known.has(day))).toEqual(altered);
    const asked = Object.fromEntries(altered.map((day) => [day, rows[day]]));
    const { revisions } = await again.putDays('acme', 'tokens', answer(altered, asked));
    expect(revisions).toEqual([]);
    expect(await contentOf(again)).toEqual(before);
  });

  test('recognizes a revision of a day that was stored by an earlier process', async () => {
    const file = fileIn(createDirectory());
    const first = await openHistory(file);
    await first.putDays('acme', 'tokens', answer([monday], { [monday]: { a: 1, b: undefined } }));
    await first.close();
    const again = await openHistory(file);
    expect(
      (await again.putDays('acme', 'tokens', answer([monday], { [monday]: { a: 1 } }))).revisions,
    ).toEqual([]);
    expect(
      (await again.putDays('acme', 'tokens', answer([monday], { [monday]: { a: 2 } }))).revisions,
    ).toEqual([{ day: monday, before: { a: 1 }, after: { a: 2 } }]);
  });

  test('is accessible to its own user only, as is its directory', async () => {
    const directory = path.join(createDirectory(), 'new', 'data');
    const history = await openHistory(fileIn(directory));
    await history.putDays('acme', 'tokens', answer([monday]));
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(fileIn(directory)).mode & 0o777).toBe(0o600);
    expect(statSync(`${fileIn(directory)}-wal`).mode & 0o777).toBe(0o600);
  });

  test('ignores a row with another schema version, and one that was altered', async () => {
    const file = fileIn(createDirectory());
    const first = await openHistory(file);
    await first.putDays(
      'acme',
      'tokens',
      answer([monday, tuesday], { [monday]: { n: 1 }, [tuesday]: { n: 2 } }),
    );
    await first.putDays('acme', 'tools', answer([monday, tuesday], { [monday]: { n: 3 } }));
    await first.close();
    const db = new DatabaseSync(file);
    db.exec(`UPDATE day SET row = '{"n":7}' WHERE dataset = 'tokens' AND day = '${monday}'`);
    db.close();
    const again = await openHistory(file, { schemaVersionOf: (dataset) => (dataset === 'tools' ? 2 : 1) });
    const org = await again.read('acme');
    expect([...org.days('tokens').keys()]).toEqual([tuesday]);
    expect([...org.days('tools').keys()]).toEqual([]);
    expect(again.log.events).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: { path: file, unreadable: 3 } }),
    );
    await again.putDays('acme', 'tools', answer([monday], { [monday]: { m: 3 } }));
    await again.close();
    const last = await openHistory(file, { schemaVersionOf: (dataset) => (dataset === 'tools' ? 2 : 1) });
    expect([...(await last.read('acme')).days('tools')]).toEqual([[monday, { m: 3 }]]);
  });

  test('forgets what is too old, but not the newest row of an organization that is polled', async () => {
    const file = fileIn(createDirectory());
    const history = await openHistory(file);
    const days = [monday, tuesday, addDays(tuesday, 1)];
    for (const org of ['acme', 'gone']) {
      const rows = { [monday]: { n: 1 }, [tuesday]: { n: 2 } };
      await history.putDays(org, 'tokens', answer(days, rows, startOf(tuesday)));
      await history.putDocuments(org, 'readiness', listing({ a: {} }, true, startOf(tuesday)));
    }
    await retainFrom(history, tuesday);
    expect([...(await history.read('gone')).days('tokens').keys()]).toEqual(days.slice(1));
    await retainFrom(history, addDays(tuesday, 30));
    await history.close();
    const again = await openHistory(file);
    expect([...(await again.read('acme')).days('tokens').keys()]).toEqual([tuesday]);
    expect((await again.read('acme')).documents('readiness')).toHaveLength(1);
    expect([...(await again.read('gone')).days('tokens').keys()]).toEqual([]);
    expect((await again.read('gone')).documents('readiness')).toEqual([]);
    await again.close();
    const db = new DatabaseSync(file, { readOnly: true });
    expect(db.prepare('SELECT name FROM org').all()).toEqual([{ name: 'acme' }, { name: 'newest' }]);
    db.close();
  });
});

describe.each(['memory', 'file'])('an answer of another organization, in %s', (place) => {
  async function opened() {
    const file = fileIn(createDirectory());
    const open = async () => (place === 'file' ? await openHistory(file) : undefined);
    const history = (await open()) ?? createMemoryHistory();
    await history.putDays('acme', 'tokens', answer([monday], { [monday]: { n: 1 } }, 1, 'org_1'));
    await history.putDocuments('acme', 'readiness', listing({ a: {} }));
    await history.putConfirmedKey('acme', 'key_1');
    return {
      history,
      /** The content, which must also be in the file alone. */
      async content() {
        const content = await contentOf(history, ['acme', 'globex']);
        await history.close();
        const again = await open();
        if (again !== undefined) expect(await contentOf(again, ['acme', 'globex'])).toEqual(content);
        return content;
      },
    };
  }

  test('changes nothing', async () => {
    const { history, content } = await opened();
    const before = await contentOf(history, ['acme', 'globex']);
    const foreign = answer([monday], { [monday]: { n: 2 } }, 1, 'org_2');
    await expect(history.putDays('acme', 'tokens', foreign)).rejects.toThrow(ForeignAnswer);
    const documents = { ...listing({ b: {} }), orgId: 'org_2' };
    await expect(history.putDocuments('acme', 'readiness', documents)).rejects.toThrow(ForeignAnswer);
    expect(await content()).toEqual(before);
  });

  test('is accepted once it is the configured one, and the former rows are set aside', async () => {
    const { history, content } = await opened();
    await history.adopt('acme', 'org_2');
    expect((await history.read('acme')).confirmedKey).toBe(UNCONFIRMED);
    const first = answer([monday], { [monday]: { n: 2 } }, 1, 'org_2');
    // The other organization's figure does not count as revised by this one.
    expect((await history.putDays('acme', 'tokens', first)).revisions).toEqual([]);
    expect(await content()).toMatchObject({
      acme: { orgId: 'org_2' },
      'acme/tokens': { days: [`${monday} {"n":2}`] },
      'acme/readiness': { documents: [] },
    });
  });

  test('comes back with its identifier, and the other one is set aside in turn', async () => {
    const { history, content } = await opened();
    const before = await contentOf(history, ['acme', 'globex']);
    await history.adopt('acme', 'org_2');
    await history.putDays('acme', 'tools', answer([tuesday], { [tuesday]: { n: 3 } }, 1, 'org_2'));
    await history.adopt('acme', 'org_1');
    expect(await content()).toEqual(before);
  });

  test('before any identifier was known belongs to the first one', async () => {
    const { history, content } = await opened();
    await history.putDocuments('globex', 'readiness', listing({ g: {} }));
    await history.adopt('globex', 'org_9');
    expect(await content()).toMatchObject({
      globex: { orgId: 'org_9' },
      'globex/readiness': { documents: ['{}'] },
    });
  });

  test('also ages while it is set aside, and loses what may no longer be kept', async () => {
    const { history } = await opened();
    await history.putDays('acme', 'tools', answer([monday], { [monday]: { who: 'x' } }, startOf(tuesday)));
    await history.adopt('acme', 'org_2');
    await history.amend('tools', (row, _day, org) => {
      expect(org).toBe('acme');
      return { ...(row as object), who: undefined };
    });
    await history.adopt('acme', 'org_1');
    expect((await history.read('acme')).days('tools').get(monday)).toEqual({ who: undefined });
    await history.adopt('acme', 'org_2');
    await retainFrom(history, addDays(tuesday, 30));
    await history.adopt('acme', 'org_1');
    expect((await history.read('acme')).days('tokens').size).toBe(0);
  });
});

test('a file that opens late determines the identifier; answers of another one are set aside', async () => {
  const written = fileIn(createDirectory());
  const first = await openHistory(written);
  await first.putDays('acme', 'tokens', answer([monday], { [monday]: { n: 1 } }, 1, 'org_1'));
  await first.close();
  const place = path.join(createDirectory(), 'data');
  writeFileSync(place, 'in the way');
  const history = await openHistory(fileIn(place));
  await history.putDays('acme', 'tokens', answer([tuesday], { [tuesday]: { n: 2 } }, 1, 'org_2'));
  rmSync(place);
  mkdirSync(place);
  copyFileSync(written, fileIn(place));
  await history.sweep();
  expect(await contentOf(history)).toMatchObject({
    acme: { orgId: 'org_1' },
    'acme/tokens': { days: [`${monday} {"n":1}`] },
  });
  await history.adopt('acme', 'org_2');
  expect(await contentOf(history)).toMatchObject({ 'acme/tokens': { days: [`${tuesday} {"n":2}`] } });
});

type Step =
  | {
      readonly does: 'days';
      readonly orgId: string | undefined;
      readonly days: readonly number[];
      readonly rows: Readonly<Record<number, number>>;
    }
  | { readonly does: 'adopt'; readonly orgId: string }
  | { readonly does: 'documents'; readonly ids: readonly string[]; readonly complete: boolean }
  | { readonly does: 'revised' | 'retain'; readonly day: number }
  | { readonly does: 'reopen' };

const dayNumbers = fc.uniqueArray(fc.integer({ min: 0, max: 12 }), { maxLength: 6 });
// Occasionally, another organization answers.
const orgIds = fc.constantFrom(undefined, 'org_1', 'org_1', 'org_1', 'org_2');
const values = fc.dictionary(fc.integer({ min: 0, max: 12 }).map(String), fc.integer({ min: 0, max: 3 }));
const step: fc.Arbitrary<{ step: Step; org: string; dataset: DatasetName }> = fc.record({
  org: fc.constantFrom('acme', 'globex'),
  dataset: fc.constantFrom<DatasetName>('tokens', 'tools'),
  step: fc.oneof<fc.Arbitrary<Step>[]>(
    fc.record({ does: fc.constant('days'), days: dayNumbers, rows: values, orgId: orgIds }),
    fc.record({
      does: fc.constant('documents'),
      ids: fc.array(fc.string({ unit: 'binary', maxLength: 3 })),
      complete: fc.boolean(),
    }),
    fc.record({ does: fc.constantFrom('revised', 'retain'), day: fc.integer({ min: 0, max: 12 }) }),
    fc.record({ does: fc.constant('adopt'), orgId: fc.constantFrom('org_1', 'org_2') }),
    fc.record({ does: fc.constant('reopen') }),
  ),
});

function take(history: History, { step, org, dataset }: { step: Step; org: string; dataset: DatasetName }) {
  switch (step.does) {
    case 'days': {
      const days = step.days.map((number) => addDays(monday, number));
      const rows = days.flatMap((day, index) => {
        const value = step.rows[step.days[index] ?? -1];
        return value === undefined ? [] : [[day, { value }]];
      });
      // An answer of another organization than the configured one is rejected.
      return history
        .putDays(org, dataset, answer(days, Object.fromEntries(rows), startOf(monday), step.orgId))
        .catch((error: Error) => error.name);
    }
    case 'adopt':
      return history.adopt(org, step.orgId);
    case 'documents': {
      const documents = Object.fromEntries(step.ids.map((id) => [id, { id, text: '"\u0000\ud83d\ude00' }]));
      return history.putDocuments(org, dataset, listing(documents, step.complete, startOf(monday)));
    }
    case 'revised':
      return history.putRevisedOn(org, dataset, addDays(monday, step.day));
    case 'retain':
      return retainFrom(history, addDays(monday, step.day));
    case 'reopen':
      return undefined;
  }
}

test('whatever happens and wherever it is closed, it says what the history in memory says', async () => {
  const directory = createDirectory();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const file = path.join(directory, `${run++}.db`);
      const memory = createMemoryHistory();
      let stored = await openHistory(file);
      for (const taken of steps) {
        const expected = await take(memory, taken);
        expect(await take(stored, taken)).toEqual(expected);
        if (taken.step.does !== 'reopen') continue;
        await stored.close();
        stored = await openHistory(file);
      }
      await stored.close();
      stored = await openHistory(file);
      const everything = [
        ['acme', 'globex'],
        ['tokens', 'tools'],
      ] as const;
      expect(await contentOf(stored, ...everything)).toEqual(await contentOf(memory, ...everything));
      await stored.close();
    }),
    { numRuns: propertyRuns(40) },
  );
});

test('what is amended while another save is under way is in no file afterwards', async () => {
  const directory = createDirectory();
  const history = await openHistory(fileIn(directory));
  const days = Array.from({ length: 300 }, (_, index) => addDays(monday, index));
  const rows = Object.fromEntries(
    days.map((day) => [day, { who: 'someone@example.com', text: day.repeat(50) }]),
  );
  await history.putDays('acme', 'users', answer(days, rows));
  const other = history.putDays('acme', 'tokens', answer(days, rows));
  const amended = history.amend('users', (row) => ({ ...(row as object), who: undefined }));
  const again = history.amend('tokens', (row) => ({ ...(row as object), who: undefined }));
  await Promise.all([other, amended, again]);
  const holders = [...bytesIn(directory)].filter(([, bytes]) =>
    Buffer.from(bytes, 'base64').includes('someone@example.com'),
  );
  expect(holders.map(([name]) => name)).toEqual([]);
});

test('pages that a reader keeps in the write-ahead log are removed once it has gone', async () => {
  const directory = createDirectory();
  const history = await openHistory(fileIn(directory));
  await history.putDays('acme', 'users', answer([monday], { [monday]: { who: 'someone@example.com' } }));
  const reader = new DatabaseSync(fileIn(directory), { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM day').get();
  await history.amend('users', (row) => ({ ...(row as object), who: undefined }));
  reader.close();
  await history.sweep();
  const holders = [...bytesIn(directory)].filter(([, bytes]) =>
    Buffer.from(bytes, 'base64').includes('someone@example.com'),
  );
  expect(holders.map(([name]) => name)).toEqual([]);
});
