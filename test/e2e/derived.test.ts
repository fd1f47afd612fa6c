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
