import { describe, expect, test } from 'vitest';
import { clientSettings } from '../../src/app/clients.ts';
import { Traffic } from '../../src/app/traffic.ts';
import type { Platform } from '../../src/catalog/platform.ts';
import type { ApiConfig, OrgConfig } from '../../src/config/config.ts';
import { createFixedCredential } from '../../src/config/credential.ts';
import { claude } from '../../src/platforms/claude/platform.ts';
import { defaultPlatform } from '../../src/platforms/index.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { createMemoryStore } from '../support/store.ts';

const baseUrl = 'https://api.example.com';
const ID = 'claude:api.example.com:console:1';

/** Organizations by name: of one identity on Claude, of another one, and on a platform without a pace of its own. */
const ORGS = {
  anna: { platform: claude, orgId: ID },
  twin: { platform: claude, orgId: ID },
  other: { platform: claude, orgId: `${ID}1` },
  unknown: { platform: claude, orgId: undefined },
  acme: { platform: defaultPlatform, orgId: ID },
};

function settingsOf(requestsPerSecond: number) {
  const orgs = Object.entries(ORGS).map(
    ([name, org]) => [name, { ...org, baseUrl, kind: 'console' }] as const,
  );
  return {
    api: { requestsPerSecond, dailyRequestLimit: 0 },
    identities: new Map(orgs),
    dayDatasets: ['tokens'] as const,
  };
}

/** When each of these organizations may send, in seconds, if all want to at once. */
async function turnsOf(
  names: readonly (keyof typeof ORGS)[],
  requestsPerSecond: number,
  later = requestsPerSecond,
) {
  const clock = createFakeClock(Date.UTC(2026, 10, 20));
  const parts = { history: createMemoryStore(), clock, log: createFakeLogger() };
  const traffic = new Traffic(parts, settingsOf(requestsPerSecond));
  const limiters = names.map((name) => traffic.of({ name, baseUrl }).limiter);
  if (later !== requestsPerSecond) traffic.use(settingsOf(later));
  const turns: number[] = [];
  const all = limiters.map((limiter, index) =>
    limiter.take().then(() => {
      turns[index] = clock.elapsed() / 1000;
    }),
  );
  await clock.advance(0);
  for (let step = 0; step < 200; step++) await clock.advance(100);
  await Promise.all(all);
  return turns;
}

describe('the pace of a platform', () => {
  test('is that of all entries with one identity together', async () => {
    expect(await turnsOf(['anna', 'twin', 'anna', 'twin'], 1000)).toEqual([0, 1, 2, 3]);
  });

  test('is not that of other identities, of those without one, nor of other platforms', async () => {
    expect(await turnsOf(['anna', 'other', 'unknown', 'acme'], 1000)).toEqual([0, 0, 0, 0]);
    expect(await turnsOf(['acme', 'acme', 'acme'], 10)).toEqual([0, 0.1, 0.2]);
  });

  test('is lowered by api.requests-per-second, and never raised', async () => {
    expect(await turnsOf(['anna', 'twin'], 0.5)).toEqual([0, 2]);
    expect(await turnsOf(['unknown', 'unknown'], 1000)).toEqual([0, 1]);
  });

  test('is changed by a reload in the same way', async () => {
    expect(await turnsOf(['anna', 'twin', 'acme', 'acme'], 10, 0.5)).toEqual([0, 2, 0, 2]);
    expect(await turnsOf(['anna', 'twin', 'acme', 'acme'], 0.5, 10)).toEqual([0, 1, 0, 0.1]);
  });

  test('holds for a client without traffic, such as that of doctor', () => {
    const rateOn = (platform: Platform, requestsPerSecond: number) => {
      const place = { baseUrl, appUrl: baseUrl, orgId: undefined };
      const org = {
        ...{ name: 'anna', platform, ...place },
        credential: createFixedCredential('key', 'the test'),
      };
      return clientSettings(org as OrgConfig, { requestsPerSecond } as ApiConfig).requestsPerSecond;
    };
    expect([rateOn(claude, 5), rateOn(claude, 0.5), rateOn(defaultPlatform, 5)]).toEqual([1, 0.5, 5]);
  });
});

/** The traffic of one organization with a daily limit, and what its store has. */
async function trafficWithLimit(dailyRequestLimit: number) {
  const clock = createFakeClock(Date.UTC(2026, 10, 20));
  const history = createMemoryStore();
  const settings = settingsOf(1);
  const limited = (limit: number) => ({ ...settings, api: { ...settings.api, dailyRequestLimit: limit } });
  const traffic = new Traffic({ history, clock, log: createFakeLogger() }, limited(dailyRequestLimit));
  const acme = { name: 'acme', baseUrl };
  const requests = async () => (await history.requestsOf('acme'))?.requests;
  return { clock, history, traffic, acme, requests, use: (limit: number) => traffic.use(limited(limit)) };
}

describe('the requests of a day', () => {
  test('are unknown until one is sent, and stored at the end', async () => {
    const { traffic, acme, requests } = await trafficWithLimit(5);
    expect(traffic.requestsToday('acme')).toBeUndefined();
    const { dailyQuota } = traffic.of(acme);
    await dailyQuota.take();
    await traffic.of(acme).dailyQuota.take();
    expect(traffic.requestsToday('acme')).toEqual({ sent: 2, limit: 5 });
    await traffic.close();
    expect(await requests()).toBe(2);
  });

  test('pause the organization once they are used up, until the limit is raised', async () => {
    const { traffic, acme, use } = await trafficWithLimit(1);
    expect(traffic.pausesOf([acme])).toEqual([]);
    await traffic.of(acme).dailyQuota.take();
    expect(traffic.pausesOf([acme])).toMatchObject([
      { org: 'acme', scope: 'organization', until: Date.UTC(2026, 10, 21), isOwnLimit: true },
    ]);
    use(2);
    expect(traffic.pausesOf([acme])).toEqual([]);
  });

  test('are read again, and the next one waits, where another process may have sent some', async () => {
    const { traffic, acme, history, clock } = await trafficWithLimit(50);
    const { dailyQuota, limiter } = traffic.of(acme);
    await limiter.take();
    await dailyQuota.take();
    await clock.advance(10_000);
    await history.putRequests('acme', { day: dayNamed('2026-11-20'), requests: 40 });
    traffic.restart();
    let isSent = false;
    const sending = limiter.take().then(() => {
      isSent = true;
    });
    await clock.advance(500);
    expect(isSent).toBe(false);
    await clock.advance(500);
    await sending;
    await dailyQuota.take();
    expect(traffic.requestsToday('acme')).toEqual({ sent: 41, limit: 50 });
  });
});
