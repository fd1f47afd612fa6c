import { expect, test } from 'vitest';
import { startStory } from './harness.ts';

test('a derived collector waits while its source has never succeeded', async () => {
  const story = await startStory({ sandbox: { faults: ['500@tokens'] } });
  const [org] = story.service.status().orgs;
  const states = new Map(org?.collectors.map(({ name, state }) => [name, state]));
  expect(states.get('tokens')).toBe('failing');
  expect(states.get('spend')).toBe('waiting');
  expect((await story.page()).text).not.toContain('agent_platform_credits_');
});

test('the status counts the days of the history of what has days and fetches all of them', async () => {
  const story = await startStory({ collectors: ['tokens', 'spend', 'users', 'readiness'] });
  const [org] = story.service.status().orgs;
  expect(
    Object.fromEntries(org?.collectors.map(({ name, historyDays }) => [name, historyDays]) ?? []),
  ).toEqual({
    tokens: 29,
    spend: undefined,
    users: undefined,
    readiness: undefined,
  });
});
