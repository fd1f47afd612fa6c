import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createClaudeSandbox } from '../../src/sandbox/index.ts';
import { type Change, KEYS, type Kind, liftPace, startChanging, startClaudeStory } from './claude-story.ts';
import { DAY, HOUR, NOON } from './harness.ts';
import { runHere } from './here.ts';

const collectors = ['activity', 'productivity', 'spend', 'tokens', 'tools', 'users'];

test.each<Kind>(['console', 'enterprise'])(
  'missed days of the kind %s come at a pace that is never refused',
  async (kind) => {
    const statuses: number[] = [];
    const story = await startClaudeStory({
      ...{ kind, collectors, begins: NOON - 60 * DAY, flags: ['history.start=2026-09-18'] },
      sandbox: { pace: undefined },
      change: ({ status }) => void statuses.push(status),
    });
    story.clock.advance(60 * DAY);
    expect(await story.poll()).toEqual([]);
    expect(statuses.length).toBeGreaterThan(75);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  },
);

test('a refused pace pauses all requests of the organization until the time that the answer names', async () => {
  let isRefusing = false;
  const change: Change = (answer) => {
    if (!isRefusing) return;
    answer.status = 429;
    answer.headers['retry-after'] = '1800';
    answer.body = {
      type: 'error',
      error: { type: 'rate_limit_error', message: 'The rate limit is exceeded.' },
    };
  };
  const story = await startClaudeStory({ collectors: ['activity', 'tokens'], change });
  isRefusing = true;
  const before = story.asked.length;
  expect(await story.poll()).toEqual(['anna/activity', 'anna/tokens']);
  expect(story.asked.length - before).toBeLessThanOrEqual(2);
  isRefusing = false;
  expect(await story.poll()).toEqual(['anna/activity', 'anna/tokens']);
  expect(story.asked.length - before).toBeLessThanOrEqual(2);
  story.clock.advance(HOUR);
  expect(await story.poll()).toEqual([]);
});

test('a cursor that is refused once begins its listing again, and twice is a failure', async () => {
  let refusals = 1;
  const change: Change = (answer, { pathname, searchParams }) => {
    if (!pathname.endsWith('/cost')) return;
    if (!searchParams.has('page')) {
      Object.assign(answer.body, { has_more: true, next_page: 'page_of_another_query' });
      if (refusals === 0) Object.assign(answer.body, { has_more: false, next_page: null });
    } else {
      // The cursor is none of the API's.
      expect(answer.status).toBe(400);
      refusals -= 1;
    }
  };
  const story = await startClaudeStory({ collectors: ['tokens', 'spend'], change });
  expect((await story.page()).value('agent_platform_daily_cost', { currency: 'USD' })).toBeGreaterThan(0);
  expect(refusals).toBe(0);
  refusals = 2;
  expect(await story.poll()).toEqual(['anna/tokens']);
  expect(story.logged('Collector failing', 'cursor does not match').length).toBeGreaterThan(0);
});

test('a command waits for a pause of the rate that another client has used up, and ends if nothing more comes', async () => {
  liftPace();
  const sandbox = createClaudeSandbox({ now: Date.now, users: 5, pace: 'unlimited', scenarios: ['steady'] });
  const { url: face } = await sandbox.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => sandbox.close());
  let asked = 0;
  let isRefused: (request: number) => boolean = (request) => request === 12;
  const url = await startChanging(face, (answer) => {
    asked += 1;
    if (!isRefused(asked)) return;
    answer.status = 429;
    answer.headers['retry-after'] = '1';
  });
  const folder = await mkdtemp(join(tmpdir(), 'claude-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'c.yml');
  const org = { name: 'anna', platform: 'claude', base_url: url, api_key_env: 'KEY' };
  await writeFile(file, JSON.stringify({ orgs: [org], history: { start: daysAgo(20) } }));
  const args = [
    'export',
    `--config.file=${file}`,
    '--storage.path=:memory:',
    `--from=${daysAgo(20)}`,
    `--to=${daysAgo(4)}`,
  ];
  const limits = ['--api.retries=0', '--api.requests-per-second=1000'];
  const once = async () => runHere([...args, ...limits], { KEY: KEYS.console });
  const { code, stderr } = await once();
  expect(stderr).toContain('msg="Pause requested by the platform"');
  expect([stderr.match(/^(?:failed|unknown).*/gm), code]).toEqual([null, 0]);
  expect(asked).toBeGreaterThan(20);

  asked = 0;
  isRefused = (request) => request >= 12;
  const refused = await once();
  expect(refused.stderr).toMatch(/^failed to fetch: .*anna\//m);
  expect(refused.code).toBe(1);
});

function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY).toISOString().slice(0, 10);
}
