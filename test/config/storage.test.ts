import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { issue } from '../web-config/certificate.ts';
import { configErrorOf, load } from './loading.ts';

const [one, two] = [issue({ name: 'one' }), issue({ name: 'two' })];
const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

function problemOf(url: string, environment = {}, files = {}) {
  return configErrorOf(() =>
    load({ environment: { AGENT_PLATFORM_STORAGE_URL: url, ...environment }, files }),
  );
}

describe('storage.path', () => {
  test.each(['postgres://u:planted-secret@db/d', 'sqlite:///data/history.db', 'file:data/history.db'])(
    'is not a URL, which is never repeated: %s',
    async (path) => {
      const { message } = await configErrorOf(() => load({ args: [`--storage.path=${path}`] }));
      expect(message).toBe(
        '--storage.path: must be the path of a file, not a URL; that of a database is set with AGENT_PLATFORM_STORAGE_URL',
      );
    },
  );

  test.each([':memory:', 'C:\\data\\history.db', 'data/a:b.db'])('may be %s', async (path) => {
    expect((await load({ args: [`--storage.path=${path}`] })).storage.path).toBe(path);
  });
});

describe('storage.url', () => {
  test('is refused with the source and a suggestion, from wherever it comes', async () => {
    const url = 'postgres://u@db/d?ssl_mode=verify-full';
    const hint = 'did you mean sslmode?';
    const message = expect.stringMatching(/: unknown parameter ssl_mode$/);
    expect(await problemOf(url)).toEqual({ message, hint });
    const files = { 'c.yml': `storage: {url: "${url}"}\n`, url };
    for (const given of [
      { args: [`--storage.url=${url}`] },
      { args: ['--config.file=c.yml'], files },
      { environment: { AGENT_PLATFORM_STORAGE_URL_FILE: 'url' }, files },
    ])
      expect(await configErrorOf(() => load(given))).toEqual({ message, hint });
  });

  test.each([
    ['sslrootcert=/ca.pem', /sslrootcert: \/ca\.pem does not exist$/],
    ['sslrootcert=/text', /sslrootcert: \/text cannot be used \(/],
    ['sslrootcert=/key', /sslrootcert: \/key cannot be used \(/],
    ['sslcert=/locked&sslkey=/key', /sslcert: \/locked cannot be read: permission denied$/],
    ['sslcert=/one&sslkey=/key', /: sslkey is not the key of the certificate in sslcert$/],
  ])('names files that can be used: %s', async (query, message) => {
    const locked = Object.assign(new Error('no'), { code: 'EACCES' });
    const files = { '/text': 'text', '/key': key, '/one': one.certificate, '/locked': locked };
    const problem = await problemOf(`postgres://u@db/d?sslmode=verify-full&${query}`, {}, files);
    expect(problem.message).toMatch(message);
  });

  test.each([
    ['PGSSLMODE', 'postgres://u:p@db/d', 'add sslmode=verify-full or sslmode=disable to the URL'],
    ['PGSSLROOTCERT', 'postgres://u:p@db/d', 'add sslmode=verify-full or sslmode=disable to the URL'],
    ['PGPASSWORD', 'postgres://u@db/d', 'unset PGPASSWORD, and write the password into the URL'],
    ['PGOPTIONS', 'postgres://u:p@db/d?sslmode=verify-full', 'unset PGOPTIONS'],
  ])('alone decides how to connect: %s is refused', async (variable, url, hint) => {
    const problem = await problemOf(url, { [variable]: 'secret' });
    expect(problem).toEqual({ message: expect.stringContaining(`${variable} is set`), hint });
    expect(problem.message).not.toContain('secret');
  });

  test('stays the last good one while its file contains none', async () => {
    const good = 'postgres://u:p@db/d';
    const files = new Map<string, string | Error>([['url', good]]);
    const { storage } = await load({ environment: { AGENT_PLATFORM_STORAGE_URL_FILE: 'url' }, files });
    files.set('url', 'postgres://u:planted-secret@db/d?ssl_mode=disable');
    expect(await storage.url?.read()).toEqual({ url: good });
    expect(storage.url?.problem()).toMatch(/^url .*: unknown parameter ssl_mode$/);
  });

  test('keeps the last good files while a certificate and its key do not belong together', async () => {
    const url = 'postgres://u@db/d?sslmode=require&sslcert=/cert&sslkey=/key';
    const files = new Map([
      ['/cert', one.certificate],
      ['/key', one.key],
    ]);
    const { storage } = await load({ environment: { AGENT_PLATFORM_STORAGE_URL: url }, files });
    const first = { url, cert: one.certificate, key: one.key };
    expect(await storage.url?.read()).toEqual(first);
    files.set('/cert', two.certificate);
    expect(await storage.url?.read()).toEqual(first);
    expect(storage.url?.problem()).toMatch(/: sslkey is not the key of the certificate in sslcert$/);
    files.set('/key', two.key);
    expect(await storage.url?.read()).toEqual({ url, cert: two.certificate, key: two.key });
    expect(storage.url?.problem()).toBeUndefined();
  });

  test('overrides other variables of libpq, which may be set for other programs', async () => {
    const environment = { PGSSLMODE: 'disable', PGPASSWORD: 'other', PGHOST: 'elsewhere', PGUSER: 'other' };
    const url = 'postgres://u:p@db/d?sslmode=verify-full';
    const config = await load({ environment: { AGENT_PLATFORM_STORAGE_URL: url, ...environment } });
    expect(await config.storage.url?.read()).toEqual({ url });
  });
});
