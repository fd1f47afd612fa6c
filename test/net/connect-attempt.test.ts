import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createPost } from '../../src/agent/post.ts';
import { createAgentPool } from '../../src/net/agents.ts';
import { connectAttemptMs } from '../../src/net/node-http.ts';
import { PostgresDatabase } from '../../src/store/postgres.ts';
import { startDistantHost } from '../support/distant-host.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { waitFor } from '../support/wait-for.ts';

const generousMs = 300_000;

describe('a distant host whose name has a second address that leads nowhere', () => {
  test('is reached by the agents of the platform and of remote write', async () => {
    const { port } = await startDistantHost('distant.test');
    const pool = createAgentPool({ keepAlive: true, maxSockets: 1, limitMs: generousMs });
    onTestFinished(() => pool.destroy());
    const url = new URL(`http://distant.test:${port}/`);
    const body = new Promise((resolve, reject) => {
      get(url, { agent: pool.for(url).agent }, (response) => resolve(text(response))).on('error', reject);
    });
    expect(await body).toBe('distant');
  });

  test('is reached as a proxy', async () => {
    const { port, received } = await startDistantHost('distant.test');
    const proxy = { HTTP_PROXY: `http://distant.test:${port}`, HTTPS_PROXY: `http://distant.test:${port}` };
    const pool = createAgentPool({ keepAlive: true, maxSockets: 1, limitMs: generousMs, proxy });
    onTestFinished(() => pool.destroy());
    const url = new URL('http://api.test/path');
    const body = new Promise((resolve, reject) => {
      get(url, { agent: pool.for(url).agent }, (response) => resolve(text(response))).on('error', reject);
    });
    expect(await body).toBe('distant');
    await waitFor(() => expect(received).toEqual([expect.stringMatching(/^GET http:\/\/api\.test\/path /)]));
  });

  test('is reached by the POST of the hook command', async () => {
    const { port } = await startDistantHost('distant.test');
    const post = createPost({});
    const answer = await post({ url: `http://distant.test:${port}/`, body: '{}', timeoutMs: generousMs });
    expect(answer).toMatchObject({ status: 200, body: 'distant' });
  });

  test("is reached by PostgreSQL's driver", async () => {
    const { port, received } = await startDistantHost('distant.test');
    const url = `postgres://user@distant.test:${port}/name`;
    const database = new PostgresDatabase({
      url: { read: async () => ({ url }), describe: () => 'a test' },
      log: createFakeLogger(),
    });
    onTestFinished(() => database.close());
    // No database answers there, but the driver has sent its first message.
    await expect(database.transaction(async () => undefined)).rejects.toThrow();
    await waitFor(() => expect(received).toEqual([expect.stringContaining('user\0')]));
  });
});

test('an address gets a good part of the time of a request', () => {
  expect([1000, 2500, 5000, 30_000, 600_000].map(connectAttemptMs)).toEqual([400, 1000, 2000, 5000, 5000]);
});
