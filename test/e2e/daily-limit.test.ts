import { expect, test } from 'vitest';
import { createDirectory } from '../store/files.ts';
import { DAY, startStory } from './harness.ts';

const FAILING = 'agent_platform_exporter_collector_failing';

test('at the daily limit nothing is requested, published data stays, and requests resume the next day', async () => {
  const story = await startStory({ flags: ['api.daily-request-limit=30', 'history.start=2026-11-01'] });
  const before = await story.page();
  const asked = story.platform.requests.length;
  for (let round = 0; round < 6; round++) await story.poll();
  expect(story.platform.requests.length).toBe(30);
  expect(asked).toBeLessThan(30);
  const page = await story.page();
  expect(page.platform()).toEqual(before.platform());
  expect(Object.values(page.by('collector', FAILING, { reason: 'limit' }))).toContain(1);
  expect(story.logged('are used up (api.daily-request-limit)', 'level=warn').length).toBeLessThanOrEqual(6);
  expect(story.logged('level=error')).toEqual([]);
  story.clock.advance(DAY);
  expect(await story.poll()).toEqual([]);
});

test('the count continues after a restart', async () => {
  const flags = [
    'api.daily-request-limit=25',
    'history.start=2026-11-01',
    `storage.path=${createDirectory()}/h.db`,
  ];
  const first = await startStory({ flags });
  const asked = first.platform.requests.length;
  await first.stop();
  const second = await startStory({ flags });
  for (let round = 0; round < 5; round++) await second.poll();
  expect(asked + second.platform.requests.length).toBe(25);
});
