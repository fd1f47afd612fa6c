import { expect, test } from 'vitest';
import { describeWebSettings, loadWebSettings } from '../../src/web-config/load.ts';
import { createFakeFiles } from '../support/fake-files.ts';
import { caseFiles, withFiles } from './folder.ts';

const HASH = '$2y$10$X0h1gDsPszWURQaxFh.zoubFi6DXncSjhoQNJgRrnGs7EsimhC7zG';
const USERS = `basic_auth_users: {alice: ${HASH}, bob: ${HASH}}\n`;

/** What is said of a file with this text. */
async function described(text: string, openHealth = false): Promise<readonly string[]> {
  const files = createFakeFiles(new Map([['web.yml', withFiles(text, caseFiles())]]));
  return describeWebSettings(await loadWebSettings('web.yml', files), openHealth);
}

test('an empty file means HTTP without a password', async () => {
  expect(await described('')).toEqual(['plain HTTP', 'no password']);
});

test('users are named, and that their passwords can be read on the way', async () => {
  expect(await described(USERS)).toEqual([
    'plain HTTP',
    'basic authentication, users: alice, bob',
    '(passwords cross the network in clear text)',
  ]);
});

test.each([
  ['', 'TLSv1.2 to TLSv1.3', 'NoClientCert'],
  [', min_version: TLS13', 'TLSv1.3 to TLSv1.3', 'NoClientCert'],
  [', client_auth_type: RequestClientCert', 'TLSv1.2 to TLSv1.3', 'RequestClientCert'],
  [
    ', client_auth_type: RequireAnyClientCert, client_allowed_sans: [a.example, b.example]',
    'TLSv1.2 to TLSv1.3',
    'RequireAnyClientCert, named a.example or b.example',
  ],
])(
  'TLS with %j: its versions, the end of the certificate and its clients',
  async (more, versions, clients) => {
    const tls = `tls_server_config: {cert: "@server.crt@", key: "@server.key@"${more}}\n`;
    expect(await described(tls + USERS)).toEqual([
      expect.stringMatching(`^TLS from ${versions}, certificate valid until 20\\d\\d-\\d\\d-\\d\\d$`),
      `client certificates: ${clients}`,
      'basic authentication, users: alice, bob',
    ]);
  },
);

test('headers, rate limit, open health checks and warnings follow', async () => {
  const headers = 'http_server_config: {headers: {X-Frame-Options: deny, X-XSS-Protection: "0"}}\n';
  expect(await described(`${headers}rate_limit: {interval: 2s, burst: 0}\n`, true)).toEqual([
    'plain HTTP',
    'no password',
    'headers: X-Frame-Options, X-XSS-Protection',
    'rate limit: one request per 2000 ms, burst 0',
    '/-/healthy and /-/ready require no authentication',
    expect.stringMatching(/^warning: .*is 0: no request passes$/),
  ]);
});
