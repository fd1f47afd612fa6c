import pg from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { connectionOf } from '../../src/store/postgres.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** What the driver would use, of what it otherwise looks up in variables of libpq. */
async function usedFor(url: string) {
  const client = new pg.Client(connectionOf({ url }));
  const { host, port, user, database, ssl } = client;
  const { application_name, sslnegotiation, password } = (
    client as unknown as { readonly connectionParameters: Readonly<Record<string, unknown>> }
  ).connectionParameters;
  const given = typeof password === 'function' ? await password() : password;
  return { host, port, user, database, ssl, application_name, sslnegotiation, password: given };
}

test.each([
  'postgres://u@db/d',
  'postgres://u:p@db/d?sslmode=disable',
  'postgres://u@db/d?sslmode=require',
  'postgres://u@db/d?sslmode=verify-full',
])('variables of libpq decide nothing: %s', async (url) => {
  const used = await usedFor(url);
  const others = {
    PGHOST: 'elsewhere',
    PGPORT: '1',
    PGUSER: 'other',
    PGPASSWORD: 'secret',
    PGDATABASE: 'other',
    PGAPPNAME: 'other',
    PGSSLMODE: url.includes('sslmode') ? 'no-verify' : 'verify-full',
    PGSSLNEGOTIATION: 'direct',
  };
  for (const [name, value] of Object.entries(others)) vi.stubEnv(name, value);
  expect(await usedFor(url)).toEqual(used);
  expect(used.ssl).toEqual(
    url.includes('verify-full')
      ? { rejectUnauthorized: true }
      : url.includes('require') && { rejectUnauthorized: false },
  );
});
