import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasAllowedName, subjectNames } from '../../src/web-config/tls-server.ts';
import { issue } from './certificate.ts';

function textOf(names: { dns?: readonly string[]; uris?: readonly string[]; ips?: readonly number[][] }) {
  return new X509Certificate(issue({ name: 'x', ...names }).certificate).subjectAltName;
}

test('names of every kind are parsed exactly', () => {
  const text = textOf({
    dns: ['prometheus.example'],
    uris: ['spiffe://example/a,b'],
    ips: [
      [10, 0, 0, 9],
      [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    ],
  });
  expect(subjectNames(text)).toEqual([
    'prometheus.example',
    'spiffe://example/a,b',
    '10.0.0.9',
    '2001:db8::1',
  ]);
});

test('no name can pretend to be several, whatever it contains', () => {
  const hostile = fc.array(
    fc.oneof(
      fc.constantFrom('a.example, DNS:b.example', 'a"', '", DNS:"b.example', '\\', 'URI:', ', ', 'é', '\0b'),
      fc.string({ unit: 'binary-ascii', maxLength: 30 }),
    ),
    { minLength: 1, maxLength: 3 },
  );
  fc.assert(
    fc.property(hostile, hostile, (dns, uris) => {
      const own = [...dns, ...uris];
      for (const name of subjectNames(textOf({ dns, uris }))) expect(own).toContain(name);
    }),
    { numRuns: 300 },
  );
});

describe('a certificate is admitted by a name', () => {
  test.each([
    ['DNS:prometheus.example', 'prometheus.example', true],
    ['DNS:prometheus.example', 'Prometheus.example', false],
    ['DNS:*.example', 'prometheus.example', false],
    ['DNS:prometheus.example.evil.example', 'prometheus.example', false],
    ['IP Address:2001:DB8:0:0:0:0:0:1', '2001:db8::1', true],
    ['IP Address:2001:DB8:0:0:0:0:0:1', '2001:DB8:0::1', true],
    ['IP Address:10.0.0.9', '10.0.0.9', true],
    ['DNS:cafe.dead', 'cafe.dead', true],
    ['URI:spiffe://example/prometheus', 'spiffe://example/prometheus', true],
    ['othername:<unsupported>, email:a@b.example', 'a@b.example', true],
    ['DirName:"CN=prometheus.example"', 'prometheus.example', false],
    [undefined, 'prometheus.example', false],
    ['DNS:"unfinished', 'unfinished', false],
  ])('%s against %s: %s', (text, allowed, expected) => {
    expect(hasAllowedName(text, [allowed])).toBe(expected);
  });
});
