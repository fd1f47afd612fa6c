import { expect, test } from 'vitest';
import { createLeaderStore } from '../../src/store/leader-store.ts';

test('no mark is left in a schema that a newer release has migrated', async () => {
  const sent: string[] = [];
  const newer = { schema_version: 99, usable_from: 99 };
  const store = createLeaderStore({
    database: {
      isUp: () => true,
      trouble: () => undefined,
      transaction: (work) =>
        work(async (text) => {
          sent.push(text);
          return [newer];
        }),
      close: () => Promise.resolve(),
    },
    reopen: () => Promise.resolve(),
  });
  await expect(store.ask()).rejects.toThrow('the schema is version 99');
  expect(sent.filter((text) => text.includes('INSERT'))).toEqual([]);
});
