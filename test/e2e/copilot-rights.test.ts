import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { createCopilotSandbox } from '../../src/sandbox/index.ts';
import { startCopilotStory } from './copilot-story.ts';
import { runHere } from './here.ts';

/** Each broken set-up: faults, what else is configured, and what is said of it. */
const BROKEN: readonly (readonly [
  name: string,
  SetUp: { faults?: readonly string[]; key?: string; account?: string; baseUrl?: string; links?: string },
  said: RegExp,
])[] = [
  ['an unknown token', { key: 'nobody' }, /401: Bad credentials.*\n.*create another one at GitHub/],
  ['no permission for the bill', { faults: ['no-permission@credits'] }, /403.*\n.*"Administration" \(read\)/],
  [
    'no permission for reports',
    { key: 'sandbox-acme-billing' },
    /403.*\n.*"Organization Copilot metrics" \(read\)/,
  ],
  [
    'no permission for seats',
    { faults: ['no-permission@seats'] },
    /seats: .*403.*"GitHub Copilot Business" \(read\)/,
  ],
  [
    'the policy off',
    { faults: ['policy-off'] },
    /403: Forbidden.*\n.*"Copilot usage metrics" is set to "Enabled everywhere"/,
  ],
  [
    'the policy off, as 404',
    { faults: ['policy-off=404'] },
    /404.*\n.*"Copilot usage metrics" is set to "Enabled everywhere"/,
  ],
  ['no single sign-on', { faults: ['no-sso'] }, /403.*\n.*"Configure SSO"/],
  ['the rate used up', { faults: ['rate-limit=1:600'] }, /403: API rate limit exceeded.*paused until/],
  ['another account', { account: 'globex-org' }, /404.*\n.*spelling of account/],
  [
    'a host of links that is not allowed',
    { links: 'reports.example' },
    /a link to 127\.0\.0\.1.*\n.*link_hosts/,
  ],
];

/** What `/status` says of failures. */
const status = z.object({
  orgs: z.array(
    z.object({
      collectors: z.array(z.object({ failure: z.object({ hint: z.string() }).optional() })),
    }),
  ),
});

const NOW = Date.UTC(2026, 10, 18, 12);
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }));
afterEach(() => void vi.useRealTimers());

async function doctor(
  {
    faults = [],
    key = 'sandbox-acme-full',
    account = 'acme-org',
    links = '127.0.0.1',
  }: (typeof BROKEN)[number][1],
  command = 'doctor',
) {
  const sandbox = createCopilotSandbox({ now: () => NOW, users: 20, faults });
  const { url } = await sandbox.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => sandbox.close());
  const folder = await mkdtemp(join(tmpdir(), 'copilot-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'c.yml');
  await writeFile(
    file,
    `orgs: [{name: octo, platform: copilot, account: ${account}, base_url: "${url}", link_hosts: [${links}], api_key_env: KEY}]\n` +
      `storage: {path: "${join(folder, 'history.db')}"}\napi: {requests_per_second: 1000}\n` +
      'collectors: {users: {enabled: true}}\n',
  );
  return runHere([command, `--config.file=${file}`, '--web.listen-address=127.0.0.1:0'], { KEY: key });
}

test('a set-up that works has nothing to complain about', async () => {
  const { stdout, code } = await doctor({});
  expect(stdout).toContain('the key is accepted, of copilot:127.0.0.1:acme-org');
  expect([code, stdout.match(/^[!✗].*$/gm)]).toEqual([0, null]);
  // Activity asks for seats, too, and productivity is read from the same report.
  expect(stdout).toMatch(/octo: activity +\S+\/organization-1-day: newest day/);
  expect(stdout).toMatch(/octo: productivity +\S+\/organization-1-day: newest day/);
  // Bills come before reports: people are looked for on earlier days than the newest with a bill.
  expect(stdout).toMatch(/octo: users .*newest day 2026-11-1[456]$/m);
});

test.each(BROKEN)('the doctor knows of %s', async (_, setUp, said) => {
  const { stdout, code } = await doctor(setUp);
  expect(stdout).toMatch(said);
  expect(code).toBe(/^seats/.test(said.source) ? 0 : 1);
});

test.each([
  ['https://github.example.com/api/v3', 'GitHub Enterprise Server has no figures of Copilot'],
  ['https://api.github.com/api/v3', 'GitHub Enterprise Server'],
  ['https://copilot.example.com', 'GitHub Enterprise Server'],
  ['https://api.octo.ghe.com', undefined],
  ['https://api.github.com', undefined],
])('of the address %s is said: %s', async (address, refused) => {
  const folder = await mkdtemp(join(tmpdir(), 'copilot-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'c.yml');
  await writeFile(
    file,
    `orgs: [{name: octo, platform: copilot, account: octo-org, base_url: "${address}", api_key_env: KEY}]\n`,
  );
  const { code, stderr } = await runHere(['check-config', `--config.file=${file}`], { KEY: 'k' });
  expect([code, stderr]).toEqual([refused === undefined ? 0 : 2, expect.stringContaining(refused ?? '')]);
});

test('an account that is none is refused, and an answer about another organization is not used', async () => {
  expect((await doctor({ account: 'octo/org' }, 'check-config')).stderr).toContain('enterprises/');
  vi.useRealTimers();
  const story = await startCopilotStory({ collectors: ['tokens'], account: 'ACME-org' });
  expect((await story.page()).value('agent_platform_daily_credits')).toBeGreaterThan(0);
});

test('each refusal has a sentence of its own, in the log and on /status', async () => {
  vi.useRealTimers();
  const refusals: Readonly<Record<string, string>> = {
    '401': 'create another one at GitHub',
    'no-permission@credits': 'Give the token the organization permission "Administration" (read);',
    'no-permission@users':
      'Give the token the organization permission "Organization Copilot metrics" (read);',
    'policy-off@users': 'Check that the policy "Copilot usage metrics" is set to "Enabled everywhere"',
    'policy-off=404@users':
      'Check the spelling of account, and that the token may see it, and that the policy',
    'no-sso': 'choose "Configure SSO" and the organization',
    'rate-limit=1:600': 'The platform requested a pause; no requests are sent for this organization',
  };
  const hints: string[] = [];
  for (const [fault, sentence] of Object.entries(refusals)) {
    const flags = ['history.start=2026-11-15'];
    const story = await startCopilotStory({
      ...{ collectors: ['tokens', 'users'], flags, sandbox: { faults: [fault] } },
    });
    const log = story.logged('Collector failing').join('\n').replaceAll('\\"', '"');
    const { orgs } = status.parse(await (await story.get('/status')).json());
    const said = orgs.flatMap(({ collectors }) => collectors.flatMap(({ failure }) => failure?.hint ?? []));
    const [hint = ''] = said;
    expect(hint, fault).toContain(sentence);
    expect(log, fault).toContain(hint);
    hints.push(hint);
  }
  expect(new Set(hints).size).toBe(Object.keys(refusals).length);
});
