import type { RequestListener } from 'node:http';
import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { respondText } from '../../src/server/respond.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { collectorStatus, createTestApp, NOW, orgStatus, serviceStatus } from './fixtures.ts';

describe('GET /status', () => {
  test('is the status with ISO times', async () => {
    const response = await request(createTestApp().app).get('/status');
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.body).toMatchObject({
      version: '1.2.3',
      now: '2026-11-20T10:12:05.000Z',
      orgs: [
        {
          name: 'acme',
          collectors: [{ name: 'tokens', dataDay: '2026-11-19', lastRunAt: '2026-11-20T09:20:05.000Z' }],
        },
      ],
    });
  });

  test('redacts failures as the page does: messages completely, hints only if something looks like a secret', async () => {
    const failure = {
      reason: 'auth',
      message: 'key sk-1 refused',
      hint: 'replace the key, see https://ada:pw@x.example',
      since: 0,
    } as const;
    const orgs = [orgStatus({ collectors: [collectorStatus({ state: 'failing', failure })] })];
    const { app } = createTestApp({
      status: () => serviceStatus({ orgs }),
      redact: (text) => text.replaceAll('sk-1', '***'),
    });
    for (const path of ['/', '/status']) {
      const { text } = await request(app).get(path);
      expect(text).toContain('key *** refused');
      // A hint is the exporter's own text: a key that is a common word must not redact it.
      expect(text).toContain('replace the key, see https://***@x.example');
      expect(text).not.toContain('sk-1');
    }
  });
});

describe('GET /', () => {
  test('may load itself and nothing from elsewhere', async () => {
    const response = await request(createTestApp().app).get('/');
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(response.headers['x-content-type-options']).toBe('nosniff');
    expect(response.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]+='; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
  });
});

describe('the organizations of the page', () => {
  const many = Array.from({ length: 60 }, (_, nth) => orgStatus({ name: `org${nth + 10}` }));

  /** An app, and what figures it asked for. */
  function appOf(orgs = many) {
    const asked: [names: readonly string[], detail: string][] = [];
    const { app } = createTestApp({
      status: () => serviceStatus({ orgs }),
      figures: async (names, detail) => {
        asked.push([names, detail]);
        return new Map();
      },
    });
    return { app, asked };
  }

  test('are one that is asked for, in full', async () => {
    const { app, asked } = appOf();
    const { status, text } = await request(app).get('/?org=org12');
    expect([status, asked]).toEqual([200, [[['org12'], 'full']]]);
    expect(text).toContain('id="org-org12"');
    expect(text).not.toContain('id="org-org13"');
  });

  test('are found however their letters are composed', async () => {
    const { app } = appOf([orgStatus({ name: 'z\u00fcrich' })]);
    expect((await request(app).get(`/?org=${encodeURIComponent('zu\u0308rich')}`)).status).toBe(200);
  });

  test('are 404 for a name that no organization has', async () => {
    const { app, asked } = appOf();
    const { status, text } = await request(app).get('/?org=nobody');
    expect([status, text, asked]).toEqual([404, 'No organization with this name is configured.\n', []]);
  });

  test('are listed with the figures of all, because an index can be sorted by them', async () => {
    const { app, asked } = appOf();
    const { text } = await request(app).get('/?sort=name');
    expect(asked).toEqual([[many.map(({ name }) => name), 'summary']]);
    expect(text).toContain('aria-sort="ascending"');
    const { text: unsorted } = await request(app).get('/?sort=nothing');
    expect(unsorted).not.toContain('aria-sort');
  });

  test('are as they were if they are removed while their figures are read', async () => {
    const clock = createFakeClock(NOW);
    let orgs = many;
    const { app } = createTestApp({
      clock,
      status: () => serviceStatus({ orgs }),
      figures: async () => {
        orgs = [];
        await clock.advance(2_000);
        return new Map();
      },
    });
    const { status, text } = await request(app).get('/?org=org12');
    expect(status).toBe(200);
    expect(text).toContain('id="org-org12"');
    expect(text).toContain('0 organizations');
  });

  test('are all in the status, with the figures of each', async () => {
    const { app, asked } = appOf();
    const { body } = await request(app).get('/status');
    expect(body.orgs).toHaveLength(60);
    expect(asked).toEqual([[many.map(({ name }) => name), 'summary']]);
  });
});

describe('health', () => {
  test('is good as soon as the process answers', async () => {
    const { app } = createTestApp({
      status: () => {
        throw new Error('not asked');
      },
    });
    const response = await request(app).get('/-/healthy');
    expect(response.status).toBe(200);
    expect(response.text).toBe('healthy\n');
  });
});

describe('readiness', () => {
  test('is 200 once ready', async () => {
    const response = await request(createTestApp().app).get('/-/ready');
    expect(response.status).toBe(200);
    expect(response.text).toBe('ready\n');
  });

  test('is 503 until then, with what it is waiting for', async () => {
    const ready = { ready: false, waitingFor: ['the first answer for z\u00fcrich/tokens', 'the store'] };
    const { app } = createTestApp({ status: () => serviceStatus({ ready }) });
    const response = await request(app).get('/-/ready');
    expect(response.status).toBe(503);
    expect(response.text).toBe(
      'not ready, waiting for:\n- the first answer for z\u00fcrich/tokens\n- the store\n',
    );
  });
});

describe('POST /-/refresh', () => {
  test('starts the collectors and does not wait', async () => {
    const { app, refreshes } = createTestApp();
    expect((await request(app).post('/-/refresh')).status).toBe(202);
    expect(refreshes).toHaveLength(1);
  });

  test('reports what is paused until when, without secrets', async () => {
    const paused = {
      org: 'acme',
      scope: 'wiki',
      until: Date.UTC(2026, 10, 20, 13),
      error: { message: 'key' },
    };
    const { app } = createTestApp({
      refresh: () => [paused, { ...paused, scope: 'organization' }],
      redact: (text) => text.replace('key', 'REDACTED'),
    });
    expect((await request(app).post('/-/refresh')).text).toBe(`A run of every collector was requested.
- acme, wiki: paused until 2026-11-20T13:00:00.000Z at the platform's request (REDACTED)
- acme, every endpoint: paused until 2026-11-20T13:00:00.000Z at the platform's request (REDACTED)
`);
  });

  test('is rejected if the lifecycle is off, with the flag that turns it on', async () => {
    const { app, refreshes } = createTestApp({ lifecycle: false });
    const response = await request(app).post('/-/refresh');
    expect(response.status).toBe(403);
    expect(response.text).toContain('--web.enable-lifecycle');
    expect(refreshes).toHaveLength(0);
  });
});

describe('POST /-/reload', () => {
  test.each([
    [{ ok: true }, 200, 'Configuration reloaded.\n'],
    [{ ok: true, notes: ['A start is needed.'] }, 200, 'Configuration reloaded.\nA start is needed.\n'],
    [
      { ok: false, isInUse: true, problem: 'key' },
      500,
      'Configuration reloaded, but applying it was incomplete: REDACTED\n',
    ],
    [
      { ok: false, problem: 'key' },
      500,
      'Reload failed; the previous configuration stays in use: REDACTED\n',
    ],
  ] as const)('of %j is %d', async (outcome, status, text) => {
    const { app } = createTestApp({
      reload: async () => outcome,
      redact: (problem) => problem.replace('key', 'REDACTED'),
    });
    const response = await request(app).post('/-/reload');
    expect([response.status, response.text]).toEqual([status, text]);
  });
});

describe('/hooks/events', () => {
  test('is 404 without a hook token, and says so in JSON', async () => {
    const response = await request(createTestApp().app).post('/hooks/events').send({});
    expect(response.status).toBe(404);
    expect(response.body).toEqual({ error: 'hook events are not accepted: no hook token is configured' });
  });

  test('takes nothing but POST', async () => {
    const { app } = createTestApp({
      hooks: () => (_request, response) => {
        response.end('taken');
      },
    });
    const response = await request(app).get('/hooks/events');
    expect([response.status, response.headers['allow']]).toEqual([405, 'POST']);
    expect(response.body).toEqual({ error: 'only POST is allowed' });
    expect((await request(app).post('/hooks/events')).text).toBe('taken');
  });
});

describe('everything else', () => {
  test.each([
    ['POST', '/metrics', 'GET, HEAD'],
    ['DELETE', '/', 'GET, HEAD'],
    ['PUT', '/status', 'GET, HEAD'],
    ['OPTIONS', '/-/healthy', 'GET, HEAD'],
    ['PATCH', '/-/ready', 'GET, HEAD'],
    ['GET', '/-/refresh', 'POST'],
    ['HEAD', '/-/refresh', 'POST'],
  ] as const)('%s %s is 405 and says what is allowed', async (method, path, allow) => {
    const { app, refreshes } = createTestApp();
    const agent = request(app);
    const response = await agent[method.toLowerCase() as 'post'](path);
    expect(response.status).toBe(405);
    expect(response.headers['allow']).toBe(allow);
    expect(refreshes).toHaveLength(0);
  });

  test.each([
    '/nowhere',
    '/Metrics',
    '/metrics/',
    '/status/',
    '/<script>alert(1)</script>',
    '/%zz',
    '/..%2f..%2fetc',
  ])('%s is 404 in plain text that repeats nothing', async (path) => {
    const response = await request(createTestApp().app).get(path);
    expect(response.status).toBe(404);
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(response.text).toBe('Not found. The status page is at /.\n');
  });

  test('that fails is 500 without details', async () => {
    const { app, log } = createTestApp({
      status: () => {
        throw new Error('inner detail');
      },
    });
    const response = await request(app).get('/');
    expect(response.status).toBe(500);
    expect(response.text).not.toContain('detail');
    expect(log.events).toHaveLength(1);
  });
});

test('a header that is set already stays, and the others come with it', async () => {
  const app: RequestListener = (_request, response) => {
    response.setHeader('X-Frame-Options', 'SAMEORIGIN');
    respondText(response, 200, 'good');
  };
  const answered = await request(app).get('/');
  expect(answered.text).toBe('good\n');
  expect(answered.headers).toMatchObject({
    'x-frame-options': 'SAMEORIGIN',
    'content-type': 'text/plain; charset=utf-8',
    'referrer-policy': 'no-referrer',
    'content-length': '5',
  });
});

describe('content negotiation', () => {
  test.each([
    ['/', 'application/json', 406],
    ['/', 'text/html;q=0, */*', 406],
    ['/', 'image/png, */*;q=0', 406],
    ['/', 'text/*;q=0.1', 200],
    ['/', '*/*', 200],
    ['/', 'text/html, application/xhtml+xml, */*;q=0.8', 200],
    ['/status', 'text/html', 406],
    ['/status', 'application/json; q=0.5', 200],
    ['/status', 'text/html, */*;q=0.1', 200],
    ['/metrics', 'application/json', 200],
  ])('%s for %s is %d', async (path, accept, status) => {
    const response = await request(createTestApp().app).get(path).set('Accept', accept);
    expect(response.status).toBe(status);
    expect(response.text).not.toContain(accept);
  });
});

test.each(['/', '/status', '/-/healthy', '/-/ready', '/nowhere', '/-/refresh'])(
  'the answer of %s can be neither framed nor interpreted as another type',
  async (path) => {
    const { headers } = await request(createTestApp().app).get(path);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect(headers['content-security-policy']).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
    expect(headers).not.toHaveProperty('x-powered-by');
  },
);
