import { hashSync } from 'bcryptjs';
import request from 'supertest';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openServiceWeb } from '../../src/app/web.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeFiles } from '../support/fake-files.ts';
import { createFakeLogger } from '../support/fake-logger.ts';

/** A server with a password; resolves with the status of each request. */
async function startWeb(openHealth: boolean) {
  const content = `basic_auth_users: {me: '${hashSync('secret', 4)}'}\n`;
  const web = await openServiceWeb({
    config: { configFile: 'web.yml', openHealth } as never,
    ...{
      files: createFakeFiles(new Map([['web.yml', content]])),
      clock: createFakeClock(0),
      log: createFakeLogger(),
    },
  });
  if (web === undefined) return expect.fail();
  onTestFinished(() => web.close());
  const { app } = web.serve((_, response) => void response.end());
  return async (target: string, authorization = '') =>
    (await request(app).get(target).set('authorization', authorization)).status;
}

describe('a password', () => {
  test('guards every route, but for those that check a token', async () => {
    const status = await startWeb(false);
    for (const target of ['/metrics', '/-/healthy', '/-/ready', '/hooks/events'])
      expect(await status(target), target).toBe(401);
    expect(await status('/hooks/events', 'Bearer token')).toBe(200);
    expect(await status('/metrics', 'Bearer token')).toBe(401);
  });

  test('leaves the health open where that is configured', async () => {
    const status = await startWeb(true);
    expect([await status('/-/healthy'), await status('/-/ready'), await status('/metrics')]).toEqual([
      ...[200, 200, 401],
    ]);
  });
});

test('without a file there is nothing to guard', async () => {
  const config = { configFile: undefined, openHealth: false } as never;
  const parts = {
    config,
    files: createFakeFiles(new Map()),
    clock: createFakeClock(0),
    log: createFakeLogger(),
  };
  expect(await openServiceWeb(parts)).toBeUndefined();
});
