import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../../src/catalog/day.ts';
import { dayNamed } from '../../support/day.ts';
import { answer, contentOf, createDirectory, listing, openHistory } from '../files.ts';

const monday = dayNamed('2026-03-02');
const tuesday = addDays(monday, 1);
const wednesday = addDays(monday, 2);

type Opened = Awaited<ReturnType<typeof openHistory>>;

function logged(history: Opened, level: string): readonly string[] {
  return history.log.events.filter((event) => event.level === level).map(({ message }) => message);
}

function reasonOf(history: Opened): unknown {
  return history.log.events.find(({ level }) => level === 'warn')?.fields['reason'];
}

/** Expects the file alone to have the content of a history. */
async function expectStored(history: Opened, file: string): Promise<void> {
  const content = await contentOf(history);
  await history.close();
  const again = await openHistory(file);
  expect(await contentOf(again)).toEqual(content);
  await again.close();
}

/** Creates a file where the directory of the history should be. */
function blockedPlace(): { readonly file: string; unblock(): void } {
  const directory = path.join(createDirectory(), 'data');
  writeFileSync(directory, 'in the way');
  return { file: path.join(directory, 'history.db'), unblock: () => rmSync(directory) };
}

describe('a file that cannot be opened', () => {
  test('causes a warning but does not prevent the start, and everything is stored once that is possible', async () => {
    const { file, unblock } = blockedPlace();
    const history = await openHistory(file);
    expect([history.isPersistent(), reasonOf(history)]).toEqual([false, 'unreachable']);
    await history.putDays('acme', 'tokens', answer([monday, tuesday], { [monday]: { n: 1 } }));
    await history.putDocuments('acme', 'readiness', listing({ a: { id: 'a' } }));
    await history.sweep();
    expect(logged(history, 'warn')).toHaveLength(1);
    expect((await history.read('acme')).days('tokens').size).toBe(2);
    unblock();
    await history.sweep();
    expect(history.isPersistent()).toBe(true);
    expect(logged(history, 'info').filter((message) => message.includes('again'))).toHaveLength(1);
    await expectStored(history, file);
  });

  test('is tried again with the next write', async () => {
    const { file, unblock } = blockedPlace();
    const history = await openHistory(file);
    unblock();
    await history.putDays('acme', 'tokens', answer([monday]));
    expect(history.isPersistent()).toBe(true);
    await expectStored(history, file);
  });
});

describe('a file that can be opened only later', () => {
  test('is used then, with the data of both', async () => {
    const written = path.join(createDirectory(), 'data');
    const first = await openHistory(path.join(written, 'history.db'));
    await first.putDays(
      'acme',
      'tokens',
      answer([monday, tuesday], { [monday]: { n: 1 }, [tuesday]: { n: 1 } }),
    );
    await first.putDocuments('acme', 'readiness', listing({ a: {}, b: {} }));
    await first.putDocuments('acme', 'tools', listing({ c: {} }));
    await first.close();
    const { file, unblock } = blockedPlace();
    let loads = 0;
    const second = await openHistory(file, { onLateLoad: () => loads++ });
    expect([second.isPersistent(), reasonOf(second)]).toEqual([false, 'unreachable']);
    await second.putDays(
      'acme',
      'tokens',
      answer([tuesday, wednesday], { [tuesday]: { n: 2 }, [wednesday]: { n: 3 } }),
    );
    await second.putDocuments('acme', 'readiness', listing({ b: { newer: true } }));
    await second.putDocuments('acme', 'tools', listing({ d: {} }, false));
    unblock();
    renameSync(written, path.dirname(file));
    await second.sweep();
    expect([second.isPersistent(), loads]).toEqual([true, 1]);
    const org = await second.read('acme');
    expect(new Map(org.days('tokens'))).toEqual(
      new Map([
        [monday, { n: 1 }],
        [tuesday, { n: 2 }],
        [wednesday, { n: 3 }],
      ]),
    );
    expect(org.documents('readiness')).toEqual([{ newer: true }]);
    expect(org.documents('tools')).toHaveLength(2);
    await expectStored(second, file);
  });
});

describe('a full disk', () => {
  test('degrades to memory and recovers by itself, with nothing lost', async () => {
    const file = path.join(createDirectory(), 'history.db');
    const db = new DatabaseSync(file);
    const history = await openHistory(file, { openDatabase: () => db });
    db.exec('PRAGMA max_page_count = 14');
    const days = Array.from({ length: 60 }, (_, index) => addDays(monday, index));
    const rows = Object.fromEntries(days.map((day) => [day, { text: day.repeat(200) }]));
    await history.putDays('acme', 'tokens', answer(days.slice(0, 1), rows));
    expect(history.isPersistent()).toBe(true);
    await history.putDays('acme', 'tokens', answer(days.slice(0, 30), rows));
    await history.putDays('acme', 'tokens', answer(days.slice(30), rows));
    expect([history.isPersistent(), reasonOf(history)]).toEqual([false, 'full']);
    expect(logged(history, 'warn')).toHaveLength(1);
    expect((await history.read('acme')).days('tokens').size).toBe(60);
    db.exec('PRAGMA max_page_count = 10000');
    await history.sweep();
    expect(history.isPersistent()).toBe(true);
    await expectStored(history, file);
  });
});

describe('a file that is removed while it is in use', () => {
  test.each(['removed', 'moved', 'replaced'])('is written again if it is %s', async (fate) => {
    const file = path.join(createDirectory(), 'history.db');
    const history = await openHistory(file);
    await history.putDays('acme', 'tokens', answer([monday], { [monday]: { n: 1 } }));
    if (fate === 'removed') rmSync(file);
    else renameSync(file, `${file}.old`);
    if (fate === 'replaced') mkdirSync(file);
    await history.sweep();
    await history.putDays('acme', 'tokens', answer([tuesday]));
    if (fate === 'replaced') {
      expect(history.isPersistent()).toBe(false);
      rmSync(file, { recursive: true });
      await history.sweep();
    }
    expect(history.isPersistent()).toBe(true);
    await expectStored(history, file);
  });
});

test('a read-only file is served', async () => {
  const file = path.join(createDirectory(), 'history.db');
  const first = await openHistory(file);
  await first.putDays('acme', 'tokens', answer([monday], { [monday]: { n: 1 } }));
  await first.close();
  const bytes = readFileSync(file);
  const history = await openHistory(file, {
    openDatabase() {
      throw Object.assign(new Error('attempt to write a readonly database'), { errcode: 8 });
    },
  });
  expect([history.isPersistent(), reasonOf(history)]).toEqual([false, 'read-only']);
  await history.putDays('acme', 'tokens', answer([tuesday]));
  expect([...(await history.read('acme')).days('tokens').keys()]).toEqual([monday, tuesday]);
  expect(readFileSync(file)).toEqual(bytes);
});
