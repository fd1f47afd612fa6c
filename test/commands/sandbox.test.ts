import { expect, test } from 'vitest';
import { run } from '../../src/commands/sandbox.ts';
import { sandboxOptions } from '../../src/config/command-options.ts';
import { waitFor } from '../support/wait-for.ts';
import { createContext } from './surroundings.ts';

/** Runs the command; `printed` is what it says once it listens. */
function started(...args: readonly string[]) {
  const stop = new AbortController();
  const given = ['--listen-address=127.0.0.1:0', '--days=5', '--users=5', ...args];
  const { context, stdout } = createContext(sandboxOptions, given);
  const ended = run({ ...context, stopSignal: () => stop.signal });
  let text = '';
  async function printed(): Promise<string> {
    await waitFor(() => {
      text += stdout();
      return text.endsWith('Press Ctrl-C to stop.\n');
    });
    return text;
  }
  return { stop, ended, printed };
}

test.each([
  [[], 'owner', '/api/v1/analytics/tokens?startDate=2026-02-01&endDate=2026-02-02'],
  [
    ['--platform=copilot'],
    'full',
    '/organizations/acme-org/settings/billing/ai_credit/usage?year=2026&month=10&day=9',
  ],
])('sandbox %o answers what it suggests to try', async (args, key, path) => {
  const { stop, ended, printed } = started(...args);
  const [, token, url] = /-H 'Authorization: Bearer (\S+)' '(\S+)'/.exec(await printed()) ?? [];
  expect([token, url]).toEqual([`sandbox-acme-${key}`, expect.stringContaining(path)]);
  const answer = await fetch(url ?? '', {
    headers: { authorization: `Bearer ${token}`, connection: 'close' },
  });
  expect(answer.status).toBe(200);
  await answer.body?.cancel();
  stop.abort();
  expect(await ended).toBe(0);
});

test('sandbox --platform=copilot names its two addresses and the organization at GitHub', async () => {
  const { stop, ended, printed } = started('--platform=copilot');
  const text = await printed();
  const urls = [...text.matchAll(/http:\/\/127\.0\.0\.1:\d+/g)].map(([url]) => url);
  expect(new Set(urls.slice(0, 2)).size).toBe(2);
  expect(text).toContain('  acme (account acme-org)\n    full     sandbox-acme-full\n');
  stop.abort();
  await ended;
});

test('sandbox --platform=claude answers what it suggests to try, and has two kinds of account', async () => {
  const { stop, ended, printed } = started('--platform=claude');
  const text = await printed();
  const [, key, version, url] =
    /-H 'x-api-key: (\S+)' -H 'anthropic-version: (\S+)' '(\S+)'/.exec(text) ?? [];
  const headers = { 'x-api-key': `${key}`, 'anthropic-version': `${version}`, connection: 'close' };
  const answer = await fetch(url ?? '', { headers });
  expect(answer.status).toBe(200);
  await answer.body?.cancel();
  expect(text).toContain('  acme\n    admin    sk-ant-admin01-sandbox-acme\n');
  expect(text).toContain('  acme-enterprise\n    analytics sk-ant-api01-sandbox-acme-enterprise\n');
  stop.abort();
  expect(await ended).toBe(0);
});

test.each([
  ['--fault=policy-off', 'Unknown fault "policy-off"'],
  [
    '--fault=401@tokens',
    '"@tokens" in the fault "401@tokens" is neither an endpoint (organization,',
    '--platform=copilot',
  ],
  ['--fault=policy-off', 'Unknown fault "policy-off"', '--platform=claude'],
])('sandbox %s is refused: %s', async (fault, message, ...args) => {
  await expect(started(fault, ...args).ended).rejects.toThrow(message);
});
