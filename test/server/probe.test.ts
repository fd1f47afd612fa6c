import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { createTestApp } from './fixtures.ts';

describe('GET /probe', () => {
  test('answers with one organization’s series and its success', async () => {
    const { app, exposition } = createTestApp();
    const response = await request(app).get('/probe?target=acme').set('Accept-Encoding', 'identity');
    expect(response.status).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      vary: 'Accept, Accept-Encoding',
      'cache-control': 'no-store',
    });
    expect(response.text).toBe('# tokens\n# spend\nprobe_success 1\n');
    expect(exposition.probes).toEqual([{ format: 'text', gzip: false, org: 'acme', success: true }]);
  });

  test('finds a name however its letters are composed', async () => {
    const { app, exposition } = createTestApp({ probe: (org) => (org === 'M\u00fcller' ? true : undefined) });
    const response = await request(app).get(`/probe?target=${encodeURIComponent('Mu\u0308ller')}`);
    expect([response.status, exposition.probes[0]?.org]).toEqual([200, 'M\u00fcller']);
  });

  test('says 0 where a collector of the organization fails', async () => {
    const { app } = createTestApp({ probe: () => false });
    const response = await request(app).get('/probe?target=beta');
    expect(response.text).toContain('probe_success 0\n');
  });

  test('can be narrowed, ignores other parameters, and supports OpenMetrics', async () => {
    const { app, exposition } = createTestApp();
    const { text } = await request(app)
      .get('/probe?module=any&target=acme&collect[]=tokens')
      .set('Accept', 'application/openmetrics-text;version=1.0.0');
    expect(text).toBe('# tokens\nprobe_success 1\n# EOF\n');
    expect(exposition.probes).toMatchObject([{ collect: ['tokens'], org: 'acme' }]);
  });

  test.each([
    ['/probe', 400],
    ['/probe?target=', 400],
    ['/probe?target=acme&target=beta', 400],
    ['/probe?target=%zz', 400],
    ['/probe?target=acme&collect[]=nothing', 400],
    ['/probe?target=nobody', 404],
    ['/probe?target=ACME', 404],
    ['/probe?target=acme%20', 404],
    ['/probe?target=http://acme', 404],
    ['/probe?target=169.254.169.254/latest', 404],
    ['/probe?target=%3Cscript%3E', 404],
    ['/probe?target=__proto__', 404],
  ])('%s is %d and repeats nothing', async (path, status) => {
    const response = await request(createTestApp().app).get(path);
    expect(response.status).toBe(status);
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
    for (const sent of ['nobody', 'ACME', '169', 'script', 'proto', '%']) {
      expect(response.text).not.toContain(sent);
    }
  });

  test('answers HEAD, and nothing else', async () => {
    const { app } = createTestApp();
    const head = await request(app).head('/probe?target=acme');
    expect(head.status).toBe(200);
    const post = await request(app).post('/probe?target=acme');
    expect([post.status, post.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});
