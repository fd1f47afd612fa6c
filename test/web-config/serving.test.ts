import { once } from 'node:events';
import { Agent } from 'node:https';
import { connect } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Ask, authority, client, forged, HASH, startWorld, tlsFile } from './world.ts';

const USERS = `basic_auth_users: {alice: ${HASH}}\n`;
const ROUTES = ['/metrics', '/', '/status', '/-/healthy', '/-/ready', '/nowhere', '/metrics?collect[]=x'];

describe('with users', () => {
  test.each(ROUTES)('%s requires a password', async (path) => {
    const { ask } = await startWorld(USERS);
    const refused = await ask({ path });
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toMatch(/^Basic realm=/);
    expect(refused.body).not.toContain(path.slice(1) || '/ ');
    expect((await ask({ path, auth: 'alice:bad' })).status).toBe(401);
    expect((await ask({ path, auth: 'bob:good' })).status).toBe(401);
    expect((await ask({ path, auth: 'alice:good' })).status).toBe(200);
  });

  test('every method requires it too', async () => {
    const { ask } = await startWorld(USERS);
    for (const method of ['POST', 'HEAD', 'OPTIONS', 'DELETE'])
      expect((await ask({ method })).status).toBe(401);
  });

  test('the health routes can be left open, but nothing that resembles them', async () => {
    const { ask } = await startWorld(USERS, { openHealth: true });
    for (const path of ['/-/healthy', '/-/ready', '/-/healthy?x'])
      expect((await ask({ path })).status).toBe(200);
    for (const path of [
      '/-/healthy/',
      '//-/healthy',
      '/-/Healthy',
      '/-/healthy/../../metrics',
      '/-/healthy%3f',
    ]) {
      expect((await ask({ path })).status).toBe(401);
    }
  });

  test('a route with its own token checks the token itself', async () => {
    const { ask } = await startWorld(USERS);
    const bearer = { authorization: 'Bearer t' };
    expect((await ask({ path: '/hooks/events', method: 'POST', headers: bearer })).status).toBe(200);
    expect((await ask({ path: '/hooks/events', method: 'POST' })).status).toBe(401);
    const other = { authorization: 'Basic Bearer t' };
    expect((await ask({ path: '/hooks/events', method: 'POST', headers: other })).status).toBe(401);
    expect((await ask({ path: '/metrics', headers: bearer })).status).toBe(401);
  });

  test('more passwords than can be compared at once are refused', async () => {
    const { ask } = await startWorld(USERS.replace('$04$', '$08$'));
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, number) => ask({ auth: `alice:guess-${number}` })),
    );
    const busy = answers.filter(({ status }) => status === 503);
    expect(busy.length).toBeGreaterThan(20);
    expect(busy[0]?.headers['retry-after']).toBe('1');
    expect(answers.filter(({ status }) => status !== 503 && status !== 401)).toEqual([]);
  });
});

test('headers are those of the file, on every answer, and no others are removed', async () => {
  const { ask } = await startWorld(
    `http_server_config: {headers: {Content-Security-Policy: "default-src 'self'", X-Frame-Options: deny}}\n${USERS}`,
  );
  for (const auth of ['alice:good', 'alice:bad']) {
    const { headers } = await ask({ auth });
    expect(headers['content-security-policy']).toBe("default-src 'self'");
    expect(headers['x-frame-options']).toBe('deny');
  }
  expect((await ask({ auth: 'alice:good' })).headers['x-own']).toBe('yes');
});

test('over the rate limit is 429, until time has passed', async () => {
  const { ask, clock } = await startWorld('rate_limit: {interval: 10s, burst: 2}\n');
  const statuses = async () => [(await ask()).status, (await ask()).status, (await ask()).status];
  expect(await statuses()).toEqual([200, 200, 429]);
  expect((await ask()).headers['retry-after']).toBe('10');
  await clock.advance(10_000);
  expect(await statuses()).toEqual([200, 429, 429]);
});

describe('client certificates', () => {
  const named = 'client_allowed_sans: [prometheus.example]';
  const misnamed = 'client_allowed_sans: [grafana.example]';
  const verify = 'client_ca_file: ca.crt, client_auth_type: RequireAndVerifyClientCert';
  test.each([
    ['client_auth_type: NoClientCert', { none: true, good: true, forged: true }],
    ['client_auth_type: RequestClientCert', { none: true, good: true, forged: true }],
    ['client_auth_type: RequireAnyClientCert', { none: false, good: true, forged: true }],
    [`client_auth_type: RequireAnyClientCert, ${misnamed}`, { none: false, good: false, forged: false }],
    [
      'client_ca_file: ca.crt, client_auth_type: VerifyClientCertIfGiven',
      { none: true, good: true, forged: false },
    ],
    // Without configured authorities those of the system apply, which signed neither certificate.
    ['client_auth_type: VerifyClientCertIfGiven', { none: true, good: false, forged: false }],
    ['client_auth_type: RequireAndVerifyClientCert', { none: false, good: false, forged: false }],
    [verify, { none: false, good: true, forged: false }],
    [`${verify}, ${named}`, { none: false, good: true, forged: false }],
    [`${verify}, ${misnamed}`, { none: false, good: false, forged: false }],
  ])('%s', async (policy, expected) => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const { ask } = await startWorld(tlsFile(`, ${policy}`));
      const admitted = (certificate?: typeof client) =>
        ask({
          ...(certificate === undefined ? {} : { certificate }),
          tls: { minVersion: version, maxVersion: version },
        }).then(
          ({ status }) => status === 200,
          () => false,
        );
      expect({
        none: await admitted(),
        good: await admitted(client),
        forged: await admitted(forged),
      }).toEqual(expected);
    }
  });

  test('are required for everything but open health routes', async () => {
    const { ask } = await startWorld(tlsFile(`, ${verify}`), { openHealth: true });
    expect((await ask({ path: '/-/healthy' })).status).toBe(200);
    for (const certificate of [undefined, forged]) {
      const refused = await ask(certificate === undefined ? {} : { certificate });
      expect(refused.status).toBe(403);
      expect(refused.headers.connection).toBe('close');
    }
    expect((await ask({ certificate: client })).status).toBe(200);
  });
});

describe('TLS', () => {
  const failure = (ask: Promise<unknown>) =>
    ask.then(
      () => 'served',
      (error: Error) => error.message,
    );

  test('is not supported in versions or suites beyond the file’s', async () => {
    const { ask } = await startWorld(tlsFile(', min_version: TLS13'));
    expect(await failure(ask({ tls: { maxVersion: 'TLSv1.2' } }))).toMatch(/protocol version/);
    expect(await failure(ask())).toBe('served');
    const old = await startWorld(
      tlsFile(', cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384], min_version: TLS12').concat(
        '\nhttp_server_config: {http2: false}',
      ),
    );
    const only = (ciphers: string): Ask => ({ tls: { maxVersion: 'TLSv1.2', ciphers } });
    expect(await failure(old.ask(only('ECDHE-ECDSA-AES128-GCM-SHA256')))).toMatch(/handshake failure/);
    expect(await failure(old.ask(only('ECDHE-ECDSA-AES256-GCM-SHA384')))).toBe('served');
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    '%s cannot be resumed: each handshake is verified again',
    async (version) => {
      const { port } = await startWorld(tlsFile());
      const options = {
        port,
        servername: 'localhost',
        ca: authority.certificate,
        minVersion: version,
        maxVersion: version,
      };
      const first = connect(options);
      const [session] = (await once(first, 'session')) as [Buffer];
      first.destroy();
      const second = connect({ ...options, session });
      await once(second, 'secureConnect');
      expect(second.isSessionReused()).toBe(false);
      second.destroy();
    },
  );

  test('keeps the connection of a scraper while others only hold theirs, beyond the limit', async () => {
    const { port, ask } = await startWorld(tlsFile(), { maxConnections: 4 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    expect(await ask({ agent })).toMatchObject({ status: 200, reused: false });
    for (let count = 0; count < 12; count++) {
      const held = connect({ port, servername: 'localhost', ca: authority.certificate });
      held.on('error', () => undefined);
      onTestFinished(() => void held.destroy());
      await once(held, 'secureConnect');
    }
    expect(await ask({ agent })).toMatchObject({ status: 200, reused: true });
  });

  test('gives no answer to clients that use plain HTTP', async () => {
    const { port, ask } = await startWorld(tlsFile());
    await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
    expect((await ask()).status).toBe(200);
  });
});
