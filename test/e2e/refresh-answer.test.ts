import { expect, test } from 'vitest';
import { startStory } from './harness.ts';

test('POST /-/refresh names a daily quota that is used up, and when requests go out again', async () => {
  const story = await startStory({
    flags: ['api.daily-request-limit=30', 'history.start=2026-11-01', 'web.enable-lifecycle'],
  });
  const refresh = async () => await (await story.get('/-/refresh', { method: 'POST' })).text();
  expect(await refresh()).toBe('A run of every collector was requested.\n');
  for (let round = 0; round < 6; round += 1) await story.poll();
  expect(story.platform.requests).toHaveLength(30);
  expect(await refresh()).toBe(
    'A run of every collector was requested.\n' +
      '- acme, every endpoint: paused until 2026-11-21T00:00:00.000Z because the 30 requests of 2026-11-20 are used up (api.daily-request-limit)\n',
  );
});
