import { describe, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/net/database-url.ts';
import { ConfigError } from '../../src/text/errors.ts';

const plain = {
  host: 'db',
  port: 5432,
  user: 'u',
  password: undefined,
  database: 'd',
  schema: 'agent_platform',
  applicationName: 'agent-platform-exporter',
  tls: undefined,
};
const files = { rootCert: undefined, cert: undefined, key: undefined };

describe('a URL of PostgreSQL', () => {
  test.each([
    ['postgres://u@db/d', {}],
    ['postgresql://u@db:5433/d', { port: 5433 }],
    ['postgres://u@db', { database: 'u' }],
    ['postgres://u%40x:p%23%3F@db/a%20b', { user: 'u@x', password: 'p#?', database: 'a b' }],
    ['postgres://u@[::1]/d', { host: '::1' }],
    ['postgres://u@localhost/d?host=/run/postgresql', { host: '/run/postgresql' }],
    ['postgres://u@%2Frun%2Fpostgresql/d', { host: '/run/postgresql' }],
    [
      'postgres://u@db/d?schema=own&application_name=exporter%201',
      { schema: 'own', applicationName: 'exporter 1' },
    ],
    ['postgres://u@db/d?sslmode=disable', { tls: false }],
    ['postgres://u@db/d?sslmode=require', { tls: { ...files, verify: 'nothing', isDirect: false } }],
    [
      'postgres://u@db/d?sslmode=require&sslrootcert=/ca.pem',
      { tls: { ...files, verify: 'authority', isDirect: false, rootCert: '/ca.pem' } },
    ],
    [
      'postgres://u@db/d?sslmode=verify-ca&sslrootcert=/ca.pem',
      { tls: { ...files, verify: 'authority', isDirect: false, rootCert: '/ca.pem' } },
    ],
    [
      'postgres://u@db/d?sslmode=verify-full&sslcert=/c&sslkey=/k&sslnegotiation=direct',
      { tls: { verify: 'host', isDirect: true, rootCert: undefined, cert: '/c', key: '/k' } },
    ],
  ])('says how to connect: %s', (text, expected) => {
    expect(parseDatabaseUrl(text)).toEqual({ ...plain, ...expected });
  });

  test.each([
    ['?ssl_mode=verify-full', 'unknown parameter ssl_mode', 'did you mean sslmode?'],
    ['?sslMode=verify-full', 'unknown parameter sslMode', 'did you mean sslmode?'],
    ['?sslmod=require', 'unknown parameter sslmod', 'did you mean sslmode?'],
    ['?foo=bar', 'unknown parameter foo', /^known are application_name, host, /],
    ['?options=-csearch_path%3Dx', 'unknown parameter options', /^known are /],
    ['?password=secret', 'unknown parameter password', /^known are /],
    ['?4@x', 'unknown parameter', /^known are /],
    ['?sslmode=', 'sslmode is empty', undefined],
    ['?sslmode', 'sslmode is empty', undefined],
    ['?sslmode=bogus', 'sslmode must be disable, require, verify-ca or verify-full', undefined],
    [
      '?sslmode=verify_full',
      'sslmode must be disable, require, verify-ca or verify-full',
      'did you mean verify-full?',
    ],
    ['?sslmode=disable&sslmode=verify-full', 'sslmode is given twice', undefined],
    ['?sslmode=verify-ca', 'sslmode=verify-ca needs sslrootcert', 'or use sslmode=verify-full'],
    [
      '?sslrootcert=/ca.pem',
      'sslrootcert is given for a connection without encryption',
      'add sslmode=verify-full',
    ],
    [
      '?sslmode=disable&sslcert=/c&sslkey=/k',
      'sslcert is given for a connection without encryption',
      'add sslmode=verify-full',
    ],
    ['?sslmode=require&sslcert=/c', 'sslcert and sslkey belong together', 'give both'],
    ['?sslnegotiation=direkt', 'sslnegotiation must be postgres or direct', 'did you mean direct?'],
    ['?host=db2', 'host must be the directory of a socket', 'write the name of a host after @'],
    [
      '?host=/run&sslmode=require',
      'sslmode: a socket is not encrypted',
      'remove it, or give the name of a host',
    ],
    ['?schema=a"b', 'schema must be a name of small letters, digits and underscores', undefined],
    ['?application_name=%C3%A4', 'application_name must be at most 63 ASCII characters', undefined],
    ['#?sslmode=verify-full', 'contains #', 'write %23 in a password or name'],
  ])('has no parameter that means nothing: %s', (query, message, hint) => {
    const problem = problemOf(`postgres://u:secret@db/d${query}`);
    expect(problem.message).toBe(message);
    if (hint instanceof RegExp) expect(problem.hint).toMatch(hint);
    else expect(problem.hint).toBe(hint);
  });

  test.each([
    ['', /^is not a URL/],
    ['db', /^is not a URL/],
    ['mysql://u@db/d', /^is not a URL/],
    ['postgres://u:pa#ss@db/d', /^is not a URL/],
    ['postgres://u:1?secret@db/d', /^unknown parameter$/],
    ['postgres://db/d', /^names no user$/],
    ['postgres:///d', /^names no host$/],
    ['postgres://u@a,b/d', /^names several hosts$/],
    ['postgres://u@db:0/d', /^the port must be/],
    ['postgres://u%zz@db/d', /^the user is not percent-encoded/],
  ])('is complete, and an error repeats nothing of it: %s', (text, message) => {
    const problem = problemOf(text);
    expect(problem.message).toMatch(message);
    expect(`${problem.message} ${problem.hint}`).not.toMatch(/secret|pa#ss/);
  });
});

function problemOf(text: string): ConfigError {
  try {
    parseDatabaseUrl(text);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error(`${text} is accepted`);
}
