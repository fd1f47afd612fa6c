import { gunzipSync } from 'node:zlib';
import request from 'supertest';
import { expect, test, vi } from 'vitest';
import { shareAnswers } from '../../src/server/shared-answers.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createTestApp, orgStatus, serviceStatus } from './fixtures.ts';

test.each(['/', '/?org=acme', '/status'])('%s is rendered once a second, for all clients', async (path) => {
  const clock = createFakeClock(0);
  const status = vi.fn(() => serviceStatus());
  const figures = vi.fn(async () => new Map());
  const { app } = createTestApp({ clock, status, figures });
  const get = async () => (await request(app).get(path)).status;
  expect(await Promise.all(Array.from({ length: 20 }, get))).toEqual(Array.from({ length: 20 }, () => 200));
  await clock.advance(999);
  await get();
  expect([status.mock.calls.length, figures.mock.calls.length]).toEqual([1, 1]);
  await clock.advance(1);
  await get();
  expect([status.mock.calls.length, figures.mock.calls.length]).toEqual([2, 2]);
});

test('organizations that do not exist cost neither a state nor memory', async () => {
  const status = vi.fn(() => serviceStatus());
  const { app } = createTestApp({ status });
  for (let index = 0; index < 20; index++) {
    expect((await request(app).get(`/?org=nobody${index}`)).status).toBe(404);
  }
  expect(status).toHaveBeenCalledTimes(1);
});

test('each organization and each page of the index has its own answer', async () => {
  const orgs = Array.from({ length: 501 }, (_, index) => orgStatus({ name: `org${index}` }));
  const { app } = createTestApp({ status: () => serviceStatus({ orgs }) });
  const paths = ['/', '/?page=2', '/?org=org1', '/?org=org500'];
  const texts = await Promise.all(paths.map(async (path) => (await request(app).get(path)).text));
  expect(new Set(texts).size).toBe(paths.length);
  // Pages that do not exist are the nearest one, and share its answer.
  expect((await request(app).get('/?page=99')).text).toBe(texts[1]);
  expect((await request(app).get('/?page=-1')).text).toBe(texts[0]);
});

test('other work comes between two renderings', async () => {
  const answers = shareAnswers(() => serviceStatus(), createFakeClock(0));
  const order: string[] = [];
  const bodies = ['a', 'b', 'c'].map((key) =>
    answers.bodyOf(key, async () => {
      order.push(key);
      return key;
    }),
  );
  while (!order.includes('c')) {
    order.push('other');
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(bodies);
  expect(order.join(' ')).toMatch(/a (other )+b (other )+c/);
});

test('a failure concerns only those who ask within the same second', async () => {
  const clock = createFakeClock(0);
  const figures = vi.fn(async () => new Map()).mockRejectedValueOnce(new Error('no figures'));
  const { app } = createTestApp({ clock, figures });
  expect((await request(app).get('/')).status).toBe(500);
  expect((await request(app).get('/status')).status).toBe(200);
  await clock.advance(1_000);
  expect((await request(app).get('/')).status).toBe(200);
});

test('a body is compressed once', async () => {
  const answers = shareAnswers(() => serviceStatus(), createFakeClock(0));
  const body = await answers.bodyOf('key', async () => 'text');
  const [one, two] = await Promise.all([body.gzip(), body.gzip()]);
  expect(one).toBe(two);
  expect(String(gunzipSync(one))).toBe('text');
});

test.each(['/', '/status'])('%s is compressed for whoever accepts it, HEAD alike', async (path) => {
  const { app } = createTestApp();
  const plain = await request(app).get(path).set('Accept-Encoding', 'identity');
  for (const codings of ['gzip', 'gzip, identity;q=0', '*']) {
    const { status, headers, text } = await request(app).get(path).set('Accept-Encoding', codings);
    expect([status, headers['content-encoding'], text]).toEqual([200, 'gzip', plain.text]);
    const head = await request(app).head(path).set('Accept-Encoding', codings);
    for (const name of ['content-length', 'content-encoding', 'vary', 'content-security-policy']) {
      expect(head.headers[name]).toBe(headers[name]);
    }
  }
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(plain.headers['vary']).toBe('Accept, Accept-Encoding');
  const head = await request(app).head(path).set('Accept-Encoding', 'identity');
  expect(head.headers['content-length']).toBe(plain.headers['content-length']);
});
