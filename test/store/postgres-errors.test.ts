import { expect, test } from 'vitest';
import { isConnectionLost, troubleOf, UnusableSchema } from '../../src/store/postgres-errors.ts';
import { ConfigError } from '../../src/text/errors.ts';

const coded = (code: string, message = 'said by the driver') => Object.assign(new Error(message), { code });

/** By reason: codes of errors, and messages of those without one. */
const ERRORS = {
  unreachable: {
    codes: ['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'],
    more: ['EAI_AGAIN', 'EADDRNOTAVAIL', '08006', '57P01'],
    messages: ['Connection terminated unexpectedly', 'Connection ended', 'not queryable', 'it is closed'],
  },
  tls: {
    codes: ['ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED', 'SELF_SIGNED_CERT_IN_CHAIN', 'EPROTO'],
    more: ['DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_GET_ISSUER_CERT', 'ERR_SSL_OTHER', 'HOSTNAME_MISMATCH'],
    messages: ['The server does not support SSL connections', 'bad certificate', 'not among the altnames'],
  },
  settings: { codes: ['ENOENT', 'EACCES', 'ERR_INVALID_URL'], more: [], messages: [] },
  credentials: {
    codes: ['28P01', '28000'],
    more: [],
    messages: ['SASL: wrong', 'SCRAM: wrong', 'no password'],
  },
  full: { codes: ['53300', '53100'], more: [], messages: [] },
  slow: { codes: ['57014', '55P03', '25P03', '40P01'], more: [], messages: ['timeout expired', 'timed out'] },
  'read-only': { codes: ['25006'], more: [], messages: [] },
  missing: { codes: ['3D000'], more: [], messages: [] },
  privileges: { codes: ['42501'], more: [], messages: [] },
  gone: { codes: ['42P01', '3F000'], more: [], messages: [] },
  failed: {
    codes: ['23505', '080066', '53x00', 'XECONNREFUSED', 'XCERT_HAS_EXPIRED', 'X5300'],
    more: ['08', 'x08006'],
    messages: ['something else'],
  },
};

test.each(Object.entries(ERRORS))('an error is %s by its code, else by its message', (reason, errors) => {
  const all = [
    ...[...errors.codes, ...errors.more].map((code) => coded(code)),
    ...errors.messages.map((message) => new Error(message)),
  ];
  for (const error of all) {
    const trouble = troubleOf(error);
    expect([trouble.reason, trouble.detail], JSON.stringify(error)).toEqual([reason, error.message]);
    expect(trouble.hint).not.toBe('');
  }
});

test('errors of the program itself have their own reasons', () => {
  expect(troubleOf(new UnusableSchema('newer', 'of tomorrow'))).toMatchObject({
    ...{ reason: 'newer', detail: 'of tomorrow' },
  });
  expect(troubleOf(new ConfigError('storage.url: wrong', 'correct it')).reason).toBe('settings');
  expect(troubleOf('a text').reason).toBe('failed');
});

test('an error of several addresses is the first one, and names all unless it has a message', () => {
  const all = [coded('ECONNREFUSED', 'refused by one'), coded('ETIMEDOUT', 'no answer of two')];
  expect(troubleOf(new AggregateError(all))).toMatchObject({
    ...{ reason: 'unreachable', detail: 'refused by one; no answer of two' },
  });
  expect(troubleOf(new AggregateError(all, 'nobody')).detail).toBe('nobody');
});

test.each([
  ['a server that is gone', coded('ECONNREFUSED'), true],
  ['a server that became a standby', coded('25006'), true],
  ['no answer in time', new Error('Query read timeout'), true],
  ['no answer in time, with a code of the driver', coded('LATE', 'Query read timeout'), true],
  ['a statement that the server has ended', coded('57014'), false],
  ['a lock that the server waited for', coded('55P03'), false],
  ['wrong credentials', coded('28P01'), false],
  ['a timeout that no error reports', 'timeout', false],
])('%s: whether another server may answer next', (_, error, isLost) => {
  expect(isConnectionLost(error)).toBe(isLost);
});
