import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as kinds from '../../src/config/kinds.ts';
import { option, parseOption } from '../../src/config/option.ts';
import { cron } from '../../src/config/options.ts';
import { formatDuration, parseDuration, parseSize } from '../../src/config/parse.ts';
import { formatListenAddress, parseListenAddress } from '../../src/net/listen-address.ts';
import { ConfigError } from '../../src/text/errors.ts';
import { propertyRuns } from '../support/thoroughness.ts';

const schemas = {
  boolean: () => kinds.boolean,
  choice: () => kinds.choice('low', 'high'),
  cron: () => cron,
  day: kinds.day,
  month: () => kinds.month,
  days: kinds.days,
  duration: kinds.duration,
  file: () => kinds.file,
  'http-path': () => kinds.httpPath,
  integer: kinds.integer,
  'listen-address': () => kinds.listenAddress,
  number: kinds.number,
  'org-name': () => kinds.orgName,
  size: kinds.size,
  text: () => kinds.text,
  url: () => kinds.url,
} as const satisfies Record<string, (min?: string, max?: string) => unknown>;

type Kind = keyof typeof schemas;

function parse(kind: Kind, text: string, ...bounds: readonly [min?: string, max?: string]): unknown {
  const value = schemas[kind](...bounds);
  const schema = option('', value);
  try {
    return parseOption(schema, { texts: [text], origin: 'refused' });
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

describe('durations', () => {
  test.each([
    ['0', 0],
    ['250ms', 250],
    ['30s', 30_000],
    ['1h30m', 5_400_000],
    ['7d', 604_800_000],
    ['2w', 1_209_600_000],
    ['1y', 31_536_000_000],
    ['1d2h3m4s5ms', 93_784_005],
  ])('%s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each(['', '5', '-5s', '1.5h', '5 s', '30m1h', '1s1s', '5S', 's', '99999999999999y'])(
    'refuses %j',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  test('what is written is read back', () => {
    fc.assert(fc.property(fc.nat(Number.MAX_SAFE_INTEGER), (ms) => parseDuration(formatDuration(ms)) === ms));
  });

  test('any text gives a whole number of milliseconds or nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{1,20}(ms|[smhdwy])$/)), (text) => {
        const ms = parseDuration(text);
        return ms === undefined || (Number.isSafeInteger(ms) && ms >= 0);
      }),
    );
  });
});

describe('addresses to listen on', () => {
  test.each([
    [':9889', undefined, 9889],
    ['127.0.0.1:9889', '127.0.0.1', 9889],
    ['[::1]:9889', '::1', 9889],
    ['[fe80::1%eth0]:80', 'fe80::1%eth0', 80],
    ['exporter.local:0', 'exporter.local', 0],
    ['localhost:65535', 'localhost', 65_535],
  ])('%s', (text, host, port) => {
    expect(parseListenAddress(text)).toEqual({ host, port });
  });

  test.each([
    '',
    '9889',
    'localhost',
    ':65536',
    ':-1',
    '::1:9889',
    '[::1]',
    '[localhost]:1',
    '[127.0.0.1]:1',
    '1.2.3:80',
    '256.0.0.1:80',
    'http://a:80',
    'a b:80',
    '-a:80',
    ':9889 ',
  ])('refuses %j', (text) => {
    expect(parseListenAddress(text)).toBeUndefined();
  });

  test('what is written is read back', () => {
    const host = fc.option(fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain()), { nil: undefined });
    fc.assert(
      fc.property(host, fc.nat(65_535), (name, port) => {
        expect(parseListenAddress(formatListenAddress({ host: name, port }))).toEqual({ host: name, port });
      }),
    );
  });

  test('any text is read or refused, never half read', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\w.:[\]-]{0,12}:\d{0,6}$/)), (text) => {
        const address = parseListenAddress(text);
        if (address === undefined) return;
        expect(parseListenAddress(formatListenAddress(address))).toEqual(address);
      }),
    );
  });
});

test.each([
  ['0', 0],
  ['1024', 1024],
  ['7B', 7],
  ['512KiB', 524_288],
  ['64MiB', 67_108_864],
  ['1GiB', 1_073_741_824],
  ['64MB', undefined],
  ['64 MiB', undefined],
  ['1.5MiB', undefined],
  ['-1', undefined],
])('size %s', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

describe('what is wrong is said in the words of the kind', () => {
  test.each<[Kind, string, string]>([
    ['boolean', 'yes', '"yes" is not true or false'],
    ['choice', 'loud', '"loud" is not one of low, high'],
    [
      'cron',
      '@hourly',
      '"@hourly" has 1 field; a cron schedule has 5: minute, hour, day of month, month, day of week',
    ],
    [
      'cron',
      '0 20 * * * *',
      '"0 20 * * * *" has 6 fields; a cron schedule has 5: minute, hour, day of month, month, day of week',
    ],
    ['cron', '60 * * * *', '"60 * * * *" is not a cron schedule, such as 20 * * * *'],
    ['cron', '0 0 31 2 *', '"0 0 31 2 *" is not a cron schedule, such as 20 * * * *'],
    ['month', '2026-13', '"2026-13" is not a month in the form YYYY-MM, or last'],
    ['day', '2026-02-29', '"2026-02-29" is not a day in the form YYYY-MM-DD'],
    ['days', '36h', '"36h" is not a duration of whole days, such as 7d'],
    ['duration', '5', '"5" is not a duration, such as 30s, 1h30m or 7d'],
    ['file', ' ', 'is empty'],
    ['file', '-', 'must be a path; ./- is the file that is named so'],
    ['http-path', 'metrics', '"metrics" is not a path of letters, digits and . _ ~ - such as /metrics'],
    ['http-path', '/a?b', '"/a?b" is not a path of letters, digits and . _ ~ - such as /metrics'],
    ['http-path', '/', '"/" is not a path of letters, digits and . _ ~ - such as /metrics'],
    ['http-path', '/-/healthy', '/-/healthy is the path of another page of the exporter'],
    ['http-path', '/status', '/status is the path of another page of the exporter'],
    ['integer', '1.5', '"1.5" is not a whole number'],
    ['integer', '', '"" is not a whole number'],
    [
      'listen-address',
      '9889',
      '"9889" is not an address to listen on, such as :9889, 127.0.0.1:9889 or [::1]:9889',
    ],
    ['number', '1e3', '"1e3" is not a number'],
    [
      'org-name',
      'a@b',
      '"a@b" is not a name of 1 to 64 letters and digits, with dots, dashes, underscores or spaces between them',
    ],
    [
      'org-name',
      'x'.repeat(65),
      `"${'x'.repeat(60)}…" is not a name of 1 to 64 letters and digits, with dots, dashes, underscores or spaces between them`,
    ],
    ['size', '5KB', '"5KB" is not a size, such as 64MiB, 512KiB or a number of bytes'],
    ['text', '', 'is empty'],
    ['url', 'api.example.com', 'is not an address, such as https://api.example.com'],
    ['url', 'https://a b', 'is not an address, such as https://api.example.com'],
    ['url', 'ftp://a', 'must begin with https:// or http://'],
    ['url', 'https://user@a', 'must not contain a user name or password'],
    ['url', 'https://a/?', 'must not have a query or a fragment'],
    ['url', 'https://a/#x', 'must not have a query or a fragment'],
  ])('%s %j', (kind, text, problem) => {
    expect(parse(kind, text)).toBe(`refused: ${problem}`);
  });
});

describe('bounds are inclusive and written as the operator would', () => {
  test.each<[Kind, string, string, string, unknown]>([
    ['duration', '100ms', '10m', '100ms', 100],
    ['duration', '100ms', '10m', '99ms', 'refused: "99ms" is below the minimum of 100ms'],
    ['duration', '100ms', '10m', '601s', 'refused: "601s" is above the maximum of 10m'],
    ['integer', '0', '20', '20', 20],
    ['integer', '0', '20', '-1', 'refused: "-1" is below the minimum of 0'],
    ['number', '0.01', '5', '0', 'refused: "0" is below the minimum of 0.01'],
    [
      'day',
      '2020-01-01',
      '2030-01-01',
      '2019-12-31',
      'refused: "2019-12-31" is below the minimum of 2020-01-01',
    ],
    ['size', '1MiB', '2MiB', '3MiB', 'refused: "3MiB" is above the maximum of 2MiB'],
  ])('%s from %s to %s: %s', (kind, min, max, text, expected) => {
    expect(parse(kind, text, min, max)).toEqual(expected);
  });
});

test.each([
  ['https://api.example.com', 'https://api.example.com'],
  ['https://API.example.com:443/', 'https://api.example.com'],
  ['http://[::1]:8080/base//', 'http://[::1]:8080/base'],
])('the address %s is kept as %s', (text, kept) => {
  expect(parse('url', text)).toBe(kept);
});

test('an address never comes back in what is said about it', () => {
  fc.assert(
    fc.property(fc.webUrl(), fc.stringMatching(/^[A-Za-z0-9]{12}$/), (url, secret) => {
      const answer = parse('url', url.replace('://', `://user:${secret}@`));
      expect(answer).toMatch(/^refused: /);
      expect(answer).not.toContain(secret);
    }),
    { numRuns: propertyRuns(100) },
  );
});
