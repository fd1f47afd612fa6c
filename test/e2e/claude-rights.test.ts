import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createClaudeSandbox } from '../../src/sandbox/index.ts';
import { type Change, KEYS, type Kind, liftPace, startChanging, startClaudeStory } from './claude-story.ts';
import { runHere } from './here.ts';

interface SetUp {
  readonly kind?: Kind;
  readonly key?: keyof typeof KEYS;
  readonly change?: Change;
  readonly orgId?: string;
  /** What the simulated platform fails in, for the doctor. */
  readonly faults?: readonly string[];
}

/** Refuses usage and cost with this status and message. */
function refusing(status: number, message: string, code?: string): Change {
  return (answer, { pathname }) => {
    if (!/\/(usage|cost)$/.test(pathname)) return;
    answer.status = status;
    const error = { type: 'invalid_request_error', message, ...(code && { details: { error_code: code } }) };
    answer.body = { type: 'error', error, request_id: 'req_1' };
  };
}

const WRONG_KEY = /401.*\n?.*The key is missing, wrong or revoked: use an Admin key of the Claude Console/;
const NOT_THERE = /Usage and cost by dimension, beta since 2026-10-29, are not there for this organization/;

/** Each broken set-up, and the sentence about it. */
const BROKEN: readonly (readonly [name: string, setUp: SetUp, said: RegExp])[] = [
  [
    'the key of an Enterprise organization, as console',
    { kind: 'console', key: 'enterprise' },
    /Got: \['read:analytics'\].*\n?.*The key is that of the other kind: set kind: enterprise, or use an Admin key of the Claude Console \(sk-ant-admin01-…\)/,
  ],
  [
    'an Admin key of the Console, as enterprise',
    { kind: 'enterprise', key: 'console' },
    /Got: \['api:admin'\].*\n?.*The key is that of the other kind: set kind: console, or use a key of the Enterprise organization with read:analytics \(sk-ant-api01-…\)/,
  ],
  ['a key for models, as console', { key: 'ordinary' }, WRONG_KEY],
  [
    'a key for models, as enterprise',
    { kind: 'enterprise', key: 'ordinary' },
    /401.*\n?.*The key is missing, wrong or revoked: use a key of the Enterprise organization with read:analytics/,
  ],
  ['a revoked key', { key: 'revoked' }, WRONG_KEY],
  [
    'a key without the scope, as 404',
    {
      kind: 'enterprise',
      change: (answer, { pathname }) => {
        if (!/\/(users|summaries)$/.test(pathname)) return;
        answer.status = 404;
        answer.body = { error: { message: 'Not Found' } };
      },
    },
    /404.*\n?.*The key may not ask for this: use a key of the Enterprise organization.*If the key is right, check that kind is enterprise\./,
  ],
  [
    'an organization that is not enrolled',
    { change: refusing(400, 'organization_not_enrolled_in_beta: the beta is not enabled') },
    NOT_THERE,
  ],
  [
    'an organization that is not eligible, as only the code of the error says',
    { change: refusing(400, 'This endpoint cannot be used.', 'organization_not_eligible') },
    NOT_THERE,
  ],
  [
    'an organization without the endpoints',
    { kind: 'enterprise', change: refusing(404, 'Not Found') },
    NOT_THERE,
  ],
  [
    'an organization with HIPAA readiness',
    { change: refusing(400, 'This endpoint is not available to organizations with HIPAA readiness.') },
    NOT_THERE,
  ],
];

describe('a broken set-up', () => {
  test.each(BROKEN)(
    'has its sentence in the log and on /status: %s',
    async (_, { kind, key, change }, said) => {
      const collectors = ['tokens', 'activity'];
      const story = await startClaudeStory({
        collectors,
        ...(kind && { kind }),
        ...(key && { key }),
        ...(change && { change }),
      });
      expect(story.logged('Collector failing').join('\n')).toMatch(said);
      const status = await (await story.get('/status')).text();
      expect(status).toMatch(new RegExp(said.source.replace(/^.*\\n\?\.\*/, ''), 's'));
      expect(story.log() + status).not.toContain('sandbox-acme');
    },
  );

  test('without usage and cost still has people and output', async () => {
    const change = refusing(400, 'This endpoint cannot be used.', 'organization_not_enrolled_in_beta');
    for (const kind of ['console', 'enterprise'] as const) {
      const story = await startClaudeStory({
        kind,
        change,
        collectors: ['tokens', 'activity', 'productivity', 'users'],
      });
      expect(await story.poll()).toEqual(['anna/tokens']);
      expect((await story.page()).value('agent_platform_daily_sessions')).toBeGreaterThan(0);
    }
  });
});

const NOW = Date.UTC(2026, 10, 20, 12);

describe('the doctor', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }));
  afterEach(() => void vi.useRealTimers());

  async function doctor(
    { kind = 'console', key = kind, change = () => undefined, orgId, faults = [] }: SetUp,
    now = NOW,
  ) {
    liftPace();
    vi.setSystemTime(now);
    const sandbox = createClaudeSandbox({ now: () => now, users: 20, pace: 'unlimited', faults });
    const { url: face } = await sandbox.listen({ host: '127.0.0.1', port: 0 });
    onTestFinished(() => sandbox.close());
    const url = await startChanging(face, change);
    const folder = await mkdtemp(join(tmpdir(), 'claude-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'c.yml');
    await writeFile(
      file,
      [
        `orgs: [{name: anna, platform: claude, kind: ${kind}, base_url: "${url}", api_key_env: KEY${orgId === undefined ? '' : `, org_id: ${orgId}`}}]`,
        `storage: {path: "${join(folder, 'history.db')}"}`,
        'collectors: {users: {enabled: true}}',
      ].join('\n'),
    );
    const flags = ['--web.listen-address=127.0.0.1:0', '--api.requests-per-second=1000'];
    return runHere(['doctor', `--config.file=${file}`, ...flags], { KEY: KEYS[key] });
  }

  function sentBy(stdout: string): number {
    return Number(/this check sent (\d+)/.exec(stdout)?.[1]);
  }

  test.each<Kind>(['console', 'enterprise'])(
    'has nothing to complain about of a key of the kind %s',
    async (kind) => {
      const { stdout, code } = await doctor({ kind });
      expect(stdout).toMatch(new RegExp(`the key is accepted, of claude:127\\.0\\.0\\.1:${kind}:`));
      expect([code, stdout.match(/^[!✗].*$/gm)]).toEqual([0, null]);
      expect(sentBy(stdout)).toBeLessThanOrEqual(16);
    },
  );

  test.each<Kind>(['console', 'enterprise'])(
    'asks for no more days than it takes to find activity, of the kind %s',
    async (kind) => {
      // Nobody works on a Sunday.
      const monday = await doctor({ kind }, Date.UTC(2026, 10, 23, 12));
      expect([monday.code, monday.stdout.match(/^[!✗].*$/gm)]).toEqual([0, null]);
      expect(monday.stdout).toMatch(/anna: productivity .*: newest day 2026-11-21$/m);
      expect(sentBy(monday.stdout)).toBeLessThanOrEqual(24);
    },
  );

  test('knows of the key of another organization', async () => {
    const orgId = '11111111-2222-4333-8444-555555555555';
    const { stdout, code } = await doctor({ orgId });
    expect(stdout).toMatch(
      /the key belongs to organization claude:127\.0\.0\.1:console:\w{8}-[-\w]+, but org_id names claude:127\.0\.0\.1:console:11111111-/,
    );
    expect(code).toBe(1);
  });

  test('does not complain about a day that is not there yet', async () => {
    const { stdout, code } = await doctor({ kind: 'enterprise' }, Date.UTC(2026, 10, 20, 9));
    expect([code, stdout.match(/^[!✗].*$/gm)]).toEqual([0, null]);
  });

  test('says of a platform that is late by days only that it is', async () => {
    const { stdout, code } = await doctor({ kind: 'enterprise', faults: ['late=5@users'] });
    const said = stdout.match(/^[!✗].*$/gm) ?? [];
    expect([
      code,
      said.filter((line) => !/newest day 2026-11-14, 5 days before yesterday/.test(line)),
    ]).toEqual([0, []]);
    expect(said.length).toBeGreaterThan(0);
  });

  test.each(BROKEN)('knows of %s', async (_, setUp, said) => {
    const { stdout, code } = await doctor(setUp);
    expect(stdout).toMatch(said);
    expect(code).toBe(1);
    expect(stdout).not.toContain('sandbox-acme');
  });
});

test.each([
  ['https://api.anthropic.com/v1', '/v1'],
  ['https://api.anthropic.com', undefined],
])('of the address %s is said: %s', async (address, refused) => {
  const folder = await mkdtemp(join(tmpdir(), 'claude-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'c.yml');
  await writeFile(file, `orgs: [{name: anna, platform: claude, base_url: "${address}", api_key_env: KEY}]\n`);
  const { code, stdout } = await runHere(['check-config', `--config.file=${file}`], { KEY: 'k' });
  expect([code, /\/v1\/v1/.test(stdout)]).toEqual([0, refused !== undefined]);
});
