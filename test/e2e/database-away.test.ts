import { expect, test } from 'vitest';
import { lookAtFiles } from './clock.ts';
import { startStory } from './harness.ts';

const url = 'postgres://me:hush-hush@127.0.0.1:1/db?sslmode=disable';

test('without its database, a service listens, says what it waits for, and asks the platform nothing', async () => {
  const files = new Map<string, string | Error>([['url', url]]);
  const story = await startStory({
    ...{ files, environment: { AGENT_PLATFORM_STORAGE_URL_FILE: 'url' }, flags: ['web.enable-lifecycle'] },
    ...{ collectors: ['tokens'], polled: false },
  });
  expect((await story.get('/-/healthy')).status).toBe(200);
  const ready = await story.get('/-/ready');
  expect([ready.status, await ready.text()]).toEqual([
    503,
    expect.stringMatching(
      /the database of url \(AGENT_PLATFORM_STORAGE_URL_FILE\) \((?:connecting|unreachable)\)/,
    ),
  ]);
  const status = story.service.status();
  expect(status).toMatchObject({ storeUp: false, role: undefined, notPolled: undefined });
  expect(status.orgs.map(({ name }) => name)).toEqual(['acme']);
  const page = await story.page();
  expect(page.value('agent_platform_exporter_store_up')).toBe(0);
  expect(page.value('agent_platform_exporter_leader')).toBe(0);
  expect(page.value('agent_platform_exporter_orgs_not_polled')).toBe(0);
  expect(page.value('agent_platform_exporter_history_persistent')).toBeUndefined();
  const refreshed = await story.get('/-/refresh', { method: 'POST' });
  expect([refreshed.status, await story.poll(), story.platform.requests]).toEqual([202, [], []]);
  // Nor does it take part in choosing who polls.
  expect(story.logged('Beat failed')).toEqual([]);
  expect(await story.reload((config) => config)).toMatchObject({ ok: false, isInUse: true });
  expect(story.logged('level=error')).toHaveLength(1);

  // Its URL may be changed without a reload.
  files.set('url', 'no url');
  for (let looks = 0; looks < 3; looks += 1) await lookAtFiles(story.clock);
  expect(story.logged('level=error', "the files of the database's URL")).toHaveLength(1);
  expect(story.service.status().configuration?.problem).toContain('AGENT_PLATFORM_STORAGE_URL_FILE');
  await story.stop();
  story.service.log.warn('said', { url: 'hush-hush' });
  expect(story.log()).not.toContain('hush-hush');
  expect(story.logged('level=error')).toHaveLength(2);
});
