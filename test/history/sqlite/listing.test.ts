import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { Day } from '../../../src/catalog/day.ts';
import type { Listing } from '../../../src/catalog/source.ts';
import type { HistoryFile } from '../../../src/history/sqlite/file.ts';
import { writes } from '../../../src/history/sqlite/unsaved.ts';
import { createHistoryState, listingOf } from '../../../src/history/state.ts';
import { createDirectory, listing, openHistory } from '../files.ts';

describe('the listing that documents are from', () => {
  const known: Listing = {
    end: 'empty',
    pages: [
      { digest: 'd', next: 'b' },
      { digest: 'e', next: undefined },
    ],
  };

  async function storedIn(file: string, change = ''): Promise<void> {
    const history = await openHistory(file, { release: '1' });
    await history.putDocuments('acme', 'readiness', { ...listing({ a: {}, b: {} }), listing: known });
    await history.close();
    const db = new DatabaseSync(file);
    db.exec(change);
    db.close();
  }

  async function listingIn(file: string, release?: string): Promise<Listing | undefined> {
    const history = await openHistory(file, { release });
    const org = await history.read('acme');
    await history.close();
    return org.listing('readiness');
  }

  test('is recognized after a restart of the same release, and of no other', async () => {
    const file = path.join(createDirectory(), 'history.db');
    await storedIn(file);
    expect(await listingIn(file, '1')).toEqual(known);
    expect(await listingIn(file, '2')).toBeUndefined();
    expect(await listingIn(file)).toBeUndefined();
  });

  test.each([
    ['an altered document', `UPDATE document SET body = '{"n":7}' WHERE id = 'b'`],
    ['a document of another schema version', `UPDATE document SET form = 2 WHERE id = 'b'`],
    ['an altered listing', `UPDATE dataset SET listing = substr(listing, 2)`],
    ['a listing of another form', `UPDATE dataset SET listing = '{"release":"1","pages":[]}'`],
  ])('is not recognized with %s', async (_what, change) => {
    const file = path.join(createDirectory(), 'history.db');
    await storedIn(file, change);
    expect(await listingIn(file, '1')).toBeUndefined();
  });

  test('is stored no earlier than its documents', () => {
    const state = createHistoryState();
    const put = (id: string) =>
      state.putDocuments('acme', 'readiness', { ...listing({ [id]: {} }, false), listing: known });
    put('a');
    const stored: (Listing | undefined)[] = [];
    const file = {
      putDocument: () => undefined,
      putOrg: () => undefined,
      putDataset: (_org, _dataset, kept) => void stored.push(kept && listingOf(kept)),
    } as Partial<HistoryFile> as HistoryFile;
    const batch = () => [
      { org: 'acme', dataset: 'readiness', days: new Set<Day>(), documents: new Set(['a']) } as const,
    ];
    const work = writes(file, state, batch());
    work.next();
    put('b');
    Array.from(work);
    Array.from(writes(file, state, batch()));
    expect(stored).toEqual([undefined, known]);
  });
});
