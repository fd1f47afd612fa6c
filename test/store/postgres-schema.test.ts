import { expect, test } from 'vitest';
import type { Query, Row, Value } from '../../src/store/database.ts';
import type { PostgresDatabase } from '../../src/store/postgres.ts';
import { lockLeader, lookAtLeader, migrate, readLeader } from '../../src/store/postgres-schema.ts';

/** The versions of a schema: the one before the first release, and those after each of three steps. */
const [BEFORE, ONE, TWO, THREE] = [7, 8, 9, 10] as const;
const STEPS = [
  { sql: 'STEP 1', usableFrom: ONE },
  { sql: 'STEP 2', usableFrom: ONE },
  { sql: 'STEP 3', usableFrom: THREE },
];

interface Known {
  readonly version: number;
  readonly usable_from: number;
  readonly store_id: string;
}

/** A database that has the row of the version, and notes all else that is sent; `meanwhile` runs between transactions. */
function createSchema({ known, hasSchema = true }: { known?: Known | undefined; hasSchema?: boolean }) {
  const sent: string[] = [];
  const modes: (string | undefined)[] = [];
  const state = {
    known,
    hasTable: known !== undefined,
    encoding: 'UTF8',
    meanwhile: () => undefined as unknown,
  };
  const query: Query = async (text, values: readonly Value[] = []) => {
    if (text.includes('server_encoding')) return [{ encoding: state.encoding }];
    if (text.includes('to_regclass')) return [{ found: Number(state.hasTable) }];
    if (text.includes('to_regnamespace')) return [{ found: Number(hasSchema) }];
    if (text.startsWith('SELECT version')) return state.known === undefined ? [] : [{ ...state.known }];
    if (!text.startsWith('INSERT INTO S.schema_version')) sent.push(text);
    else {
      const [first, usableFrom, storeId] = values;
      state.hasTable = true;
      state.known = {
        version: state.known === undefined ? Number(first) : state.known.version + 1,
        ...{ usable_from: Number(usableFrom), store_id: state.known?.store_id ?? String(storeId) },
      };
    }
    return [];
  };
  const database = {
    async transaction(work: (query: Query) => Promise<unknown>, mode?: string) {
      modes.push(mode);
      const result = await work(query);
      state.meanwhile();
      return result;
    },
  } as PostgresDatabase;
  const steps = () => sent.filter((text) => text.startsWith('STEP'));
  return { database, state, modes, sent, steps };
}

const knownAt = (version: number, usableFrom: number = ONE): Known => ({
  ...{ version, usable_from: usableFrom, store_id: 'the store' },
});

test.each([true, false])(
  'an empty database gets every step; its schema is created unless it exists: %s',
  async (hasSchema) => {
    const { database, state, modes, steps, sent } = createSchema({ hasSchema });
    const storeId = await migrate(database, STEPS);
    expect(storeId).toMatch(/^[0-9a-f-]{36}$/);
    expect(state.known).toEqual({ version: THREE, usable_from: THREE, store_id: storeId });
    expect(steps()).toEqual(['STEP 1', 'STEP 2', 'STEP 3']);
    expect(modes).toEqual(['snapshot', 'migration']);
    expect(sent.some((text) => text.includes('CREATE SCHEMA'))).toBe(!hasSchema);
    expect(await migrate(database, STEPS)).toBe(storeId);
  },
);

test.each([
  ['current', knownAt(THREE, THREE)],
  ['migrated by a newer release that this one may use beside', knownAt(THREE + 5, THREE)],
])('a schema that is %s is only read', async (_, known) => {
  const { database, modes, sent } = createSchema({ known });
  expect(await migrate(database, STEPS)).toBe('the store');
  expect([modes, sent]).toEqual([['snapshot'], []]);
});

test('an older schema gets the steps that it lacks, and stays the same store', async () => {
  const { database, state, steps } = createSchema({ known: knownAt(TWO) });
  expect(await migrate(database, STEPS)).toBe('the store');
  expect(steps()).toEqual(['STEP 3']);
  expect(state.known).toEqual(knownAt(THREE, THREE));
});

test('of processes that begin together, the second finds the steps of the first', async () => {
  const { database, state, steps } = createSchema({ known: knownAt(ONE) });
  state.meanwhile = () => {
    state.known = knownAt(THREE);
  };
  expect(await migrate(database, STEPS)).toBe('the store');
  expect(steps()).toEqual([]);
});

test.each([
  ['newer', knownAt(THREE + 2, THREE + 1), 'the schema is version 12, this release supports 10'],
  ['older', knownAt(BEFORE), 'before the first release'],
])('a schema that is too %s is refused', async (reason, known, message) => {
  const { database, sent } = createSchema({ known });
  await expect(migrate(database, STEPS)).rejects.toMatchObject({
    ...{ reason, message: expect.stringContaining(message) },
  });
  expect(sent).toEqual([]);
});

test.each([knownAt(THREE, THREE), undefined])(
  'a database that cannot store every text is refused',
  async (known) => {
    const { database, state, sent } = createSchema({ known });
    state.encoding = 'LATIN1';
    await expect(migrate(database, STEPS)).rejects.toMatchObject({
      reason: 'encoding',
      message: 'the encoding of the database is LATIN1, not UTF8',
    });
    expect(sent).toEqual([]);
    state.encoding = 'SQL_ASCII';
    await expect(migrate(database, STEPS)).resolves.toBeDefined();
  },
);

test('an emptied table of the version is filled anew', async () => {
  const { database, state, steps } = createSchema({});
  state.hasTable = true;
  await migrate(database, STEPS);
  expect(steps()).toHaveLength(3);
});

const ROW = {
  holder: 'a',
  generation: 3,
  beat: 7,
  epoch: 'e',
  settings: 's',
  schema_version: 11,
  usable_from: 8,
};
const { schema_version: _, usable_from: __, ...LEADER } = ROW;

/** Answers each statement with the next rows, and notes it. */
function answering(...answers: readonly (readonly Row[])[]) {
  const sent: string[] = [];
  const query: Query = async (text) => {
    sent.push(text);
    return answers[sent.length - 1] ?? [];
  };
  return { query, sent };
}

test('reads who leads, if anybody does', async () => {
  expect(await readLeader(answering([ROW]).query)).toEqual(LEADER);
  expect(await readLeader(answering([{ ...ROW, holder: null }]).query)).toEqual({
    ...{ ...LEADER, holder: undefined },
  });
  expect(await lockLeader(answering([ROW]).query, 3)).toEqual(LEADER);
  expect(await lockLeader(answering([]).query, 3)).toBeUndefined();
});

test.each([
  ['read', readLeader],
  ['lock', (query: Query) => lockLeader(query, 3)],
  ['look', lookAtLeader],
] as const)('of a schema that this release must not use, nothing is read: %s', async (_name, use) => {
  const newer = { ...ROW, schema_version: 99, usable_from: 99 };
  await expect(use(answering([newer]).query)).rejects.toMatchObject({ reason: 'newer' });
});

test('an emptied schema is gone; where only the row is missing, a look adds it', async () => {
  await expect(readLeader(answering([]).query)).rejects.toMatchObject({ reason: 'gone' });
  await expect(lookAtLeader(answering([], []).query)).rejects.toMatchObject({ reason: 'gone' });
  const version = [{ one: 1 }];
  const { query, sent } = answering([], version, [], [ROW]);
  expect(await lookAtLeader(query)).toEqual(LEADER);
  expect(sent.filter((text) => text.startsWith('INSERT INTO S.leader'))).toHaveLength(1);
  await expect(lookAtLeader(answering([], version, [], []).query)).rejects.toMatchObject({ reason: 'gone' });
  const found = answering([ROW]);
  await lookAtLeader(found.query);
  expect(found.sent).toHaveLength(1);
});
