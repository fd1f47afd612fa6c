import { hashSync } from 'bcryptjs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { basicCredentials, createPasswordChecker } from '../../../src/web-config/passwords/checker.ts';
import { createComparing } from '../../../src/web-config/passwords/comparing.ts';

const users = new Map([
  ['alice', '$2b$10$alice'.padEnd(60, 'a')],
  ['bob', '$2b$12$bob'.padEnd(60, 'b')],
]);

/** A checker whose comparisons are answered by the test. */
function setUp() {
  const asked: { password: string; hash: string; answer(matches: boolean): void; fail(): void }[] = [];
  const checker = createPasswordChecker({
    compare: (password, hash) =>
      new Promise((resolve, reject) => {
        asked.push({ password, hash, answer: resolve, fail: () => reject(new Error('broken')) });
      }),
  });
  const check = (user: string, password: string, address = '10.0.0.1', known = users) =>
    checker.check({ user, password }, known, address);
  return { asked, check };
}

async function remember(parts: ReturnType<typeof setUp>, user: string, password: string): Promise<void> {
  const verdict = parts.check(user, password);
  parts.asked.at(-1)?.answer(true);
  expect(await verdict).toBe('right');
}

describe('passwords', () => {
  test('that were right are not compared again', async () => {
    const parts = setUp();
    await remember(parts, 'alice', 'good');
    expect(parts.check('alice', 'good')).toBe('right');
    expect(parts.asked).toHaveLength(1);
  });

  test('that were right are compared again once the hash has changed', async () => {
    const parts = setUp();
    await remember(parts, 'alice', 'good');
    const changed = new Map([['alice', '$2b$10$other'.padEnd(60, 'o')]]);
    const verdict = parts.check('alice', 'good', undefined, changed);
    parts.asked.at(-1)?.answer(false);
    expect(await verdict).toBe('wrong');
    expect(parts.check('alice', 'good', undefined, new Map())).not.toBe('right');
  });

  test('that were wrong are compared each time', async () => {
    const { asked, check } = setUp();
    for (const count of [1, 2]) {
      const verdict = check('alice', 'bad');
      expect(asked).toHaveLength(count);
      asked.at(-1)?.answer(false);
      expect(await verdict).toBe('wrong');
    }
  });

  test('of unknown users cost as much as those of a user, the same each time, and are never right', async () => {
    const { asked, check } = setUp();
    const costs = new Set<string>();
    for (let number = 0; number < 40; number++) {
      const first = check(`nobody-${number}`, 'x', `10.0.1.${number}`);
      const cost = asked.at(-1)?.hash.slice(0, 7) ?? '';
      asked.at(-1)?.answer(true);
      expect(await first).toBe('wrong');
      const second = check(`nobody-${number}`, 'y', `10.0.1.${number}`);
      expect(asked.at(-1)?.hash.slice(0, 7)).toBe(cost);
      expect(asked.at(-1)?.hash).toMatch(/^\$2b\$1[02]\$[./A-Za-z0-9]{53}$/);
      asked.at(-1)?.answer(true);
      expect(await second).toBe('wrong');
      costs.add(cost);
    }
    expect(costs).toEqual(new Set(['$2b$10$', '$2b$12$']));
  });

  test('requested twice concurrently are compared once', async () => {
    const { asked, check } = setUp();
    const both = [check('alice', 'good'), check('alice', 'good')];
    expect(asked).toHaveLength(1);
    asked[0]?.answer(true);
    expect(await Promise.all(both)).toEqual(['right', 'right']);
  });

  test('have few waiting comparisons per address, and not many in total', async () => {
    const { asked, check } = setUp();
    const verdicts = Array.from({ length: 40 }, (_, number) => check('alice', `guess ${number}`));
    expect(verdicts.filter((verdict) => verdict === 'busy')).toHaveLength(36);
    expect(typeof check('alice', 'good', '10.0.0.2')).toBe('object');
    for (let number = 0; number < 100; number++) check('alice', `more ${number}`, `10.0.9.${number}`);
    expect(asked).toHaveLength(32);
    for (const { answer } of asked) answer(false);
    expect(await verdicts[0]).toBe('wrong');
    expect(typeof check('alice', 'again')).toBe('object');
  });

  test('make room again if comparing failed', async () => {
    const { asked, check } = setUp();
    for (let number = 0; number < 10; number++) {
      const verdict = check('alice', 'good');
      asked.at(-1)?.fail();
      await expect(verdict).rejects.toThrow('broken');
    }
  });

  test('are remembered for a bounded number of users', async () => {
    const parts = setUp();
    for (let number = 0; number < 300; number++) await remember(parts, 'alice', `good ${number}`);
    expect(parts.check('alice', 'good 299')).toBe('right');
    expect(parts.check('alice', 'good 0')).not.toBe('right');
  });
});

describe('comparing', () => {
  test('is bcrypt’s, and does not block the event loop', async () => {
    const comparing = createComparing();
    onTestFinished(() => comparing.close());
    const hash = hashSync('good', 4).replace('$2b$', '$2y$');
    expect(await comparing.compare('good', hash)).toBe(true);
    expect(await comparing.compare('bad', hash)).toBe(false);
    expect(await comparing.compare('good', 'no hash')).toBe(false);

    let turns = 0;
    const dear = comparing.compare('good', `$2b$11$${hash.slice(7)}`).finally(() => clearImmediate(turning));
    let turning = setImmediate(function turn() {
      turns += 1;
      turning = setImmediate(turn);
    });
    await dear;
    // On the main thread, there would be no more than a handful.
    expect(turns).toBeGreaterThan(100);
  });

  test('continues after its thread has exited', async () => {
    const comparing = createComparing();
    onTestFinished(() => comparing.close());
    const hash = hashSync('good', 4);
    expect(await comparing.compare('good', hash)).toBe(true);
    const interrupted = comparing.compare('good', `$2b$12$${hash.slice(7)}`);
    await comparing.close();
    await expect(interrupted).rejects.toThrow('has exited');
    expect(await comparing.compare('good', hash)).toBe(true);
  });
});

describe('the Authorization header', () => {
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  test.each([
    [`Basic ${encoded('alice:good')}`, { user: 'alice', password: 'good' }],
    [`basic  ${encoded('José:p:ä')} `, { user: 'José', password: 'p:ä' }],
    [`Basic ${encoded(':')}`, { user: '', password: '' }],
    [`Basic ${encoded('no colon')}`, undefined],
    [`Basic ${encoded('alice:good')} more`, undefined],
    ['Basic ???', undefined],
    ['Basic', undefined],
    [`Bearer ${encoded('alice:good')}`, undefined],
    [undefined, undefined],
  ])('%s', (header, expected) => {
    expect(basicCredentials(header)).toEqual(expected);
  });
});
