import { expect, test } from 'vitest';
import { type Change, type Kind, startClaudeStory } from './claude-story.ts';
import { DAY, HOUR, NOON } from './harness.ts';

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
