import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDirectory } from '../store/files.ts';
import { firstCases } from '../support/thoroughness.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Issued, issue } from '../web-config/certificate.ts';
import { pageAfterRuns, startProgram } from './program.ts';

const COLLECTORS = ['tokens', 'tools', 'activity', 'productivity', 'readiness', 'wiki'];
const authority = issue({ name: 'authority', isAuthority: true });
const stranger = issue({ name: 'another authority', isAuthority: true });
const LOOPBACK = [[127, 0, 0, 1]];

/** The program with a platform behind this certificate, after every collector has tried. */
async function startAgainst(certificate: Issued) {
  const keys: (string | undefined)[] = [];
  const platform = createServer(
    { cert: certificate.certificate, key: certificate.key, keepAliveTimeout: 0 },
    (request, response) => {
      keys.push(request.headers.authorization);
      response.writeHead(404).end();
    },
  );
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    platform.close();
    platform.closeAllConnections();
  });
  const trusted = path.join(createDirectory(), 'authority.pem');
  writeFileSync(trusted, authority.certificate);
  const program = await startProgram(['--api.retries=0'], undefined, {
    environment: {
      AGENT_PLATFORM_API_BASE_URL: `https://127.0.0.1:${(platform.address() as AddressInfo).port}`,
      NODE_EXTRA_CA_CERTS: trusted,
    },
  });
  return { program, page: await pageAfterRuns(program, COLLECTORS), keys };
}

const refused: [string, Issued, RegExp][] = [
  [
    'of an unknown authority',
    issue({ name: 'platform', issuer: stranger, ips: LOOPBACK }),
    /certificate verification failed/,
  ],
  ['that has expired', issue({ name: 'platform', issuer: authority, ips: LOOPBACK, days: -1 }), /expired/i],
  [
    'of another host',
    issue({ name: 'platform', issuer: authority, dns: ['other.example'] }),
    /another host name/,
  ],
  ['signed by itself', issue({ name: 'platform', ips: LOOPBACK }), /SELF_SIGNED/],
];

test.each(firstCases(2, refused))(
  'a platform with a certificate %s gets no request and no key',
  async (_what, certificate, said) => {
    const { program, page, keys } = await startAgainst(certificate);
    const failing = page.by('collector', 'agent_platform_exporter_collector_failing', { reason: 'network' });
    expect(failing).toEqual(Object.fromEntries(COLLECTORS.map((name) => [name, 1])));
    await waitFor(() => expect(program.log()).toMatch(said));
    expect(keys).toEqual([]);
  },
);

test('a platform with a certificate of a trusted authority is asked', async () => {
  const { keys } = await startAgainst(issue({ name: 'platform', issuer: authority, ips: LOOPBACK }));
  expect(keys.length).toBeGreaterThan(0);
});
