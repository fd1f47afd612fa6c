import { expect, test } from 'vitest';
import { NotStored, type Query } from '../../src/store/database.ts';
import { PostgresLeaderStore } from '../../src/store/shared.ts';

test('no mark is left in a schema that a newer release has migrated', async () => {
  const sent: string[] = [];
  const newer = { schema_version: 99, usable_from: 99 };
  const store = new PostgresLeaderStore({
    database: {
      transaction: (work) =>
        work(async (text) => {
          sent.push(text);
          return [newer];
        }),
    },
    reopen: () => Promise.resolve(),
  });
  await expect(store.ask()).rejects.toThrow('the schema is version 99');
  expect(sent.filter((text) => text.includes('INSERT'))).toEqual([]);
});

const ROW = { holder: 'a', generation: 3, beat: 7, epoch: 'e', settings: 's' };
const BEAT = { ...ROW, beat: 8 };

/** A store over a database whose row is `ROW`: whether it is still that when it is written, and whether a mark was left. */
function storeWith({
  isSame = true,
  isAsked = false,
  error,
}: {
  isSame?: boolean;
  isAsked?: boolean;
  error?: Error;
}) {
  const sent: string[] = [];
  const modes: (string | undefined)[] = [];
  const query: Query = async (text) => {
    sent.push(text);
    if (text.startsWith('UPDATE')) return isSame ? [{ one: 1 }] : [];
    if (text.startsWith('DELETE')) return isAsked ? [{ one: 1 }] : [];
    return [{ ...ROW, schema_version: 11, usable_from: 8 }];
  };
  let reopened = 0;
  const store = new PostgresLeaderStore({
    database: {
      transaction(work, mode) {
        modes.push(mode);
        return error === undefined ? work(query) : Promise.reject(error);
      },
    },
    reopen: async () => {
      reopened += 1;
    },
  });
  return { store, sent, modes, reopened: () => reopened };
}

test('a step without a next row only looks', async () => {
  const { store, sent, modes } = storeWith({ isAsked: true });
  expect(await store.step(() => undefined)).toEqual({ row: ROW, isWritten: false, isAsked: false });
  expect([sent.length, modes]).toEqual([1, ['leader']]);
});

test.each([
  { isSame: true, isAsked: false, expected: { row: BEAT, isWritten: true, isAsked: false } },
  { isSame: true, isAsked: true, expected: { row: BEAT, isWritten: true, isAsked: true } },
  // The mark is for whoever leads.
  { isSame: false, isAsked: true, expected: { row: ROW, isWritten: false, isAsked: false } },
])(
  'a step is written unless the row has changed: $isSame, with a mark: $isAsked',
  async ({ expected, ...found }) => {
    expect(await storeWith(found).store.step(() => BEAT)).toEqual(expected);
  },
);

test('a takeover waits for nobody who writes, a beat does', async () => {
  const skips = async (generation: number) => {
    const { store, sent } = storeWith({});
    await store.step((row) => ({ ...row, generation, holder: undefined }));
    return sent.some((text) => text.includes('SKIP LOCKED'));
  };
  expect([await skips(4), await skips(3)]).toEqual([true, false]);
});

test('the schema is made again if it is gone, and for no other trouble', async () => {
  const trouble = (reason: string) => new NotStored(reason, { reason, detail: '', hint: '' });
  for (const [error, times] of [
    [trouble('gone'), 1],
    [trouble('slow'), 0],
    [new Error('gone'), 0],
  ] as const) {
    const { store, reopened } = storeWith({ error });
    await expect(store.step(() => BEAT)).rejects.toBe(error);
    expect(reopened()).toBe(times);
  }
});

test('a mark is left with one statement, and a fenced write sees the row of its generation', async () => {
  const { store, sent } = storeWith({});
  await store.ask();
  expect(sent.filter((text) => text.startsWith('INSERT INTO S.refresh'))).toHaveLength(1);
  expect(await store.fenced(3, async (_, row) => row)).toEqual(ROW);
});
