import { describe, expect, test } from 'vitest';
import { clientSettings } from '../../src/app/clients.ts';
import { Traffic } from '../../src/app/traffic.ts';
import type { Platform } from '../../src/catalog/platform.ts';
import type { ApiConfig, OrgConfig } from '../../src/config/config.ts';
import { createFixedCredential } from '../../src/config/credential.ts';
import { claude } from '../../src/platforms/claude/platform.ts';
import { defaultPlatform } from '../../src/platforms/index.ts';
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
