import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findPage } from '../../src/app/find-page.ts';
import { pageFileBeside } from '../../src/app/page-file.ts';
import { encodePage } from '../../src/exposition/kept-page.ts';
import { markOf } from '../../src/history/sqlite/file-identity.ts';
import { createFakeClock } from '../../src/runtime/clock.ts';
import { createFakeLogger } from '../../src/runtime/logger.ts';

const NOW = 1000;
const SETTINGS = { release: '1', settings: 's' };

/** Keeps a page of one organization beside a history; resolves with a function that looks for it. */
async function keep(change: { at?: number; until?: number; store?: string } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'page-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const history = path.join(folder, 'history.db');
  writeFileSync(history, 'history');
  const { at = NOW, until, store = markOf(history) ?? '' } = change;
  const segment = { family: 'f', org: 'acme', series: 1, overflow: false, body: Buffer.from('f{} 1\n') };
  const facts = { succeededAt: { tokens: 5 }, folded: {}, dropped: {} };
  const org = { org: 'acme', segments: new Map([['tokens', [segment]]]), ...facts };
  const head = { origin: { ...SETTINGS, store }, at, until, storeId: 'id' };
  await pageFileBeside(history).write(encodePage({ ...head, orgs: [org] }));
  const tools = { clock: createFakeClock(NOW), log: createFakeLogger() };
  return {
    history,
    log: tools.log,
    find: async (settings = SETTINGS) =>
      (await findPage({ path: history, url: undefined, onDamage: 'keep' }, settings, tools))?.kept,
  };
}

describe('a kept page', () => {
  test('is found where all that it was made from is the same', async () => {
    const { find } = await keep();
    expect((await find())?.orgs[0]?.segments.get('tokens')?.[0]?.body).toEqual(Buffer.from('f{} 1\n'));
    // It is not used up.
    expect(await find()).toBeDefined();
  });

  test.each([
    ['the next instant', { at: NOW + 1 }],
    ['an instant at which it is too old', { until: NOW }],
    ['another state of the history', { store: 'other' }],
  ])('is not found if it is of %s, and is gone then', async (_what, change) => {
    const { history, find } = await keep(change);
    expect(await find()).toBeUndefined();
    expect(await pageFileBeside(history).read()).toBeUndefined();
  });

  test.each(['release', 'settings'])('is not found with another %s', async (part) => {
    const { find } = await keep();
    expect(await find({ ...SETTINGS, [part]: 'other' })).toBeUndefined();
    expect(await find()).toBeUndefined();
  });

  test('that cannot be removed is reported', async () => {
    const { history, find, log } = await keep();
    const { path: file } = pageFileBeside(history);
    rmSync(file);
    mkdirSync(file);
    expect(await find()).toBeUndefined();
    expect(log.events.map(({ level, message }) => [level, message])).toEqual([
      ['debug', 'The kept page cannot be read'],
      ['warn', 'Removing the kept page failed'],
    ]);
  });

  test('is not looked for beside a database or memory', async () => {
    const tools = { clock: createFakeClock(NOW), log: createFakeLogger() };
    const storage = { path: ':memory:', url: undefined, onDamage: 'keep' as const };
    expect(await findPage(storage, SETTINGS, tools)).toBeUndefined();
  });

  test('with any byte altered is the same or none', async () => {
    const { history, find } = await keep();
    const file = pageFileBeside(history).path;
    const whole = await find();
    const bytes = readFileSync(file);
    let refused = 0;
    for (let index = 0; index < bytes.length; index++) {
      const altered = Buffer.from(bytes);
      altered.writeUInt8(altered.readUInt8(index) ^ 0x10, index);
      writeFileSync(file, altered);
      const found = await find();
      if (found === undefined) refused += 1;
      else expect(found).toEqual(whole);
    }
    // All but a few of the header, which say nothing about the content.
    expect(refused).toBeGreaterThan(bytes.length - 10);
  });
});
