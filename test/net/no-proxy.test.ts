import { describe, expect, test } from 'vitest';
import { parseNoProxy } from '../../src/net/proxy-address.ts';

/** The hosts of the list that go around the proxy. */
function excluded(text: string, hosts: readonly string[]): string[] {
  const isExcluded = parseNoProxy(text);
  return hosts.filter((host) => isExcluded(new URL(host.includes('://') ? host : `https://${host}`)));
}

describe('NO_PROXY', () => {
  test.each([
    ['a domain with its subdomains', 'corp.test', ['corp.test', 'api.corp.test', 'a.b.corp.test']],
    ['a leading dot is the same', '.corp.test', ['corp.test', 'api.corp.test', 'a.b.corp.test']],
    ['a star is the subdomains alone', '*.corp.test', ['api.corp.test', 'a.b.corp.test']],
    ['case and a final dot do not matter', 'CORP.Test.', ['corp.test', 'api.corp.test', 'a.b.corp.test']],
    ['several, by commas and spaces', 'x.test, api.corp.test y.test', ['api.corp.test']],
    [
      'everything',
      'x.test,*',
      ['corp.test', 'api.corp.test', 'a.b.corp.test', 'notcorp.test', 'corp.test.evil'],
    ],
    ['nothing', ' , ', []],
    ['a star within a name has no meaning', 'api.*.test', []],
    ['a public suffix alone', 'test', ['corp.test', 'api.corp.test', 'a.b.corp.test', 'notcorp.test']],
  ])('%s', (_, text, expected) => {
    const hosts = ['corp.test', 'api.corp.test', 'a.b.corp.test', 'notcorp.test', 'corp.test.evil'];
    expect(excluded(text, hosts)).toEqual(expected);
  });

  test.each([
    ['10.1.2.3', ['10.1.2.3', '[::ffff:10.1.2.3]']],
    ['10.0.0.0/8', ['10.1.2.3', '10.200.0.1', '[::ffff:10.1.2.3]']],
    ['10.1.2.99/24', ['10.1.2.3', '[::ffff:10.1.2.3]']],
    ['0.0.0.0/0', ['10.1.2.3', '10.200.0.1', '11.1.2.3', '[::ffff:10.1.2.3]']],
    ['fd00::/8', ['[fd12::1]']],
    ['[fd00::]/8', ['[fd12::1]']],
    ['fd12::1', ['[fd12::1]']],
    ['[fd12::1]', ['[fd12::1]']],
    ['FD12:0:0::1', ['[fd12::1]']],
    ['10.0.0.0/33,fd00::/129,10.0.0.0/,10.0.0.0/8x,x/8,10.0.0.0/-1', []],
    // The end of an address is no domain.
    ['2.3,3', []],
  ])('addresses: %s', (text, expected) => {
    const hosts = ['10.1.2.3', '10.200.0.1', '11.1.2.3', '[fd12::1]', '[::ffff:10.1.2.3]', 'name.test'];
    expect(excluded(text, hosts)).toEqual(expected);
  });

  test.each([
    ['corp.test:443', ['https://api.corp.test']],
    ['corp.test:80', ['http://api.corp.test']],
    ['*.corp.test:8443', ['https://api.corp.test:8443']],
    ['10.1.2.3:443', ['https://10.1.2.3']],
    ['[fd12::1]:8443', ['https://[fd12::1]:8443']],
  ])('ports: %s', (text, expected) => {
    const urls = [
      'https://api.corp.test',
      'http://api.corp.test',
      'https://api.corp.test:8443',
      'https://10.1.2.3',
      'http://10.1.2.3',
      'https://[fd12::1]',
      'https://[fd12::1]:8443',
    ];
    expect(excluded(text, urls)).toEqual(expected);
  });

  test('names of other scripts match their ASCII form', () => {
    expect(excluded('bücher.test', ['api.bücher.test', 'xn--bcher-kva.test', 'bucher.test'])).toEqual([
      'api.bücher.test',
      'xn--bcher-kva.test',
    ]);
  });

  test('this machine never has a proxy', () => {
    const hosts = ['localhost', '127.0.0.1', '127.9.9.9', '[::1]', '128.0.0.1', 'localhost.test'];
    expect(excluded('', hosts)).toEqual(['localhost', '127.0.0.1', '127.9.9.9', '[::1]']);
  });
});
