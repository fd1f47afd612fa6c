import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CountStore, createDailyQuota, type DayCount } from '../../src/client/daily-quota.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import {
  answers,
  createTestClient,
  failureOf,
  START,
  startServer,
  tokensRequest,
} from './platform-server.ts';

const DAY = 86_400_000;

function createStore(): CountStore & { readonly written: DayCount[] } {
  const written: DayCount[] = [];
  return {
    written,
    read: async () => written.at(-1),
    async write(count) {
      written.push(count);
    },
  };
}

function create(limit: number | undefined, store = createStore(), clock = createFakeClock(START)) {
  return { store, clock, quota: createDailyQuota({ limit, store, clock }) };
}

describe('the daily quota', () => {
  test('rejects requests beyond it, until the next UTC day', async () => {
    const { quota, clock } = create(3);
    for (let n = 0; n < 3; n++) expect(await quota.take()).toBeUndefined();
    const refused = await quota.take();
    expect(refused).toMatchObject({
      ...{ reason: 'limit', tooLarge: false, retryAt: Date.UTC(2026, 10, 21) },
      message: 'the 3 requests of 2026-11-20 are used up (api.daily-request-limit)',
    });
    await clock.advance(DAY / 2);
    expect(await quota.take()).toBeUndefined();
  });

  test('of a future day does not limit the days until then, and is unchanged when that day comes', async () => {
    const { quota, clock, store } = create(1);
    await store.write({ day: dayNamed('2027-11-20'), requests: 1 });
    expect(await quota.take()).toBeUndefined();
    expect(await quota.take()).toMatchObject({ reason: 'limit' });
    clock.set(START + 365 * DAY);
    expect(await quota.take()).toMatchObject({ reason: 'limit' });
    clock.set(START);
    expect(await quota.take()).toMatchObject({ reason: 'limit' });
  });

  test('survives restarts: exactly after a stop, with at most ten lost after a kill', async () => {
    const first = create(100);
    for (let n = 0; n < 33; n++) await first.quota.take();
    expect(first.store.written.at(-1)).toEqual({ day: '2026-11-20', requests: 40 });
    await first.quota.close();
    expect(first.store.written.at(-1)).toEqual({ day: '2026-11-20', requests: 33 });
    const second = create(100, first.store);
    for (let n = 0; n < 67; n++) expect(await second.quota.take()).toBeUndefined();
    expect(await second.quota.take()).toMatchObject({ reason: 'limit' });
  });

  test('is never exceeded, whenever the process is killed or stopped and however many requests are concurrent', async () => {
    const lives = fc.array(
      fc.record({ asks: fc.integer({ min: 0, max: 40 }), isKilled: fc.boolean(), isNextDay: fc.boolean() }),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(lives, fc.integer({ min: 1, max: 60 }), async (processes, limit) => {
        const store = createStore();
        const clock = createFakeClock(START);
        let made = 0;
        for (const { asks, isKilled, isNextDay } of processes) {
          if (isNextDay) {
            await clock.advance(DAY);
            made = 0;
          }
          const { quota } = create(limit, store, clock);
          const taken = await Promise.all(Array.from({ length: asks }, () => quota.take()));
          made += taken.filter((refused) => refused === undefined).length;
          expect(made).toBeLessThanOrEqual(limit);
          if (!isKilled) await quota.close();
        }
      }),
    );
  });

  test('says what was sent today, and the error with which a request would fail', async () => {
    const { quota, clock } = create(2);
    const said = () => [quota.today(), quota.usedUp()?.message];
    const usedUp = (limit: number) => expect.stringContaining(`the ${limit} requests of 2026-11-20`);
    expect(said()).toEqual([undefined, undefined]);
    await quota.take();
    expect(said()).toStrictEqual([{ sent: 1, limit: 2 }, undefined]);
    await quota.take();
    expect(said()).toStrictEqual([{ sent: 2, limit: 2 }, usedUp(2)]);
    quota.setLimit(3);
    expect(said()).toStrictEqual([{ sent: 2, limit: 3 }, undefined]);
    expect(await quota.take()).toBeUndefined();
    expect(await quota.take()).toMatchObject({ message: usedUp(3) });
    quota.setLimit(undefined);
    expect(said()).toStrictEqual([{ sent: 3 }, undefined]);
    quota.setLimit(1);
    expect(said()).toStrictEqual([{ sent: 3, limit: 1 }, usedUp(1)]);
    await clock.advance(DAY);
    expect(said()).toEqual([undefined, undefined]);
  });

  test('is not known before a count was read', () => {
    expect(create(0).quota.usedUp()).toBeUndefined();
  });

  test('is read again where another process may have sent some', async () => {
    const { quota, store } = create(7);
    await quota.take();
    await store.write({ day: dayNamed('2026-11-20'), requests: 6 });
    quota.forget();
    expect(quota.today()).toBeUndefined();
    expect([await quota.take(), (await quota.take())?.reason]).toEqual([undefined, 'limit']);
  });

  test('remembers three days, in case the clock is set back', async () => {
    const { quota, clock } = create(2);
    for (const day of [0, 1, 2]) {
      clock.set(START + day * DAY);
      await quota.take();
      await quota.take();
    }
    for (const day of [0, 1, 2]) {
      clock.set(START + day * DAY);
      expect(await quota.take()).toMatchObject({ reason: 'limit' });
    }
    clock.set(START + 3 * DAY);
    await quota.take();
    clock.set(START);
    expect(quota.today()).toBeUndefined();
  });

  test('writes at the end only what the store lacks, after the requests in progress', async () => {
    const { quota, store } = create(20);
    await quota.close();
    expect(store.written).toEqual([]);
    void quota.take();
    await quota.close();
    for (let n = 0; n < 9; n++) void quota.take();
    await quota.close();
    expect(store.written.map(({ requests }) => requests)).toEqual([10, 1]);
  });

  test('counts, but does not write, if there is none', async () => {
    const { quota, store } = create(undefined);
    for (let n = 0; n < 50; n++) expect(await quota.take()).toBeUndefined();
    expect(store.written).toEqual([]);
  });

  test('counts retries and redirects, and nothing is sent beyond it', async () => {
    const server = await startServer((request, response, count) => {
      if (count % 3 === 1) response.writeHead(308, { location: request.url ?? '/' }).end();
      else response.writeHead(503).end();
    });
    const clock = createFakeClock(START, { autoAdvance: true });
    const { quota } = create(7, createStore(), clock);
    const { client } = createTestClient(server.url, {
      clock,
      dailyQuota: quota,
      retries: 20,
      random: () => 0,
    });
    expect((await failureOf(client.get(tokensRequest()))).reason).toBe('limit');
    expect((await failureOf(client.get(tokensRequest()))).reason).toBe('limit');
    expect(server.requests).toHaveLength(7);
  });

  test('counts no request that is given up before it is sent', async () => {
    const server = await startServer(answers({}));
    const { quota } = create(5);
    const { client } = createTestClient(server.url, { dailyQuota: quota });
    const error = await failureOf(client.get({ ...tokensRequest(), signal: AbortSignal.abort() }));
    expect([error.reason, server.requests, quota.today()]).toEqual(['network', [], undefined]);
  });

  test('allows everything below it', async () => {
    const server = await startServer(answers({}));
    const { quota } = create(5);
    const { client } = createTestClient(server.url, { dailyQuota: quota });
    for (let n = 0; n < 5; n++) await client.get(tokensRequest());
    expect((await failureOf(client.get(tokensRequest()))).message).toContain('the 5 requests of');
  });
});
