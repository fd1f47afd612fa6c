import { expect, test, vi } from 'vitest';
import { HOUR, startStory } from './harness.ts';

const SUCCESSFUL = 'agent_platform_exporter_config_last_reload_successful';
const READ_AT = 'agent_platform_exporter_config_last_reload_success_timestamp_seconds';

test('a reload that fails after the swap does not claim that the previous settings are kept', async () => {
  const story = await startStory({ sandbox: { orgs: 2 }, flags: ['web.enable-lifecycle'] });
  const gone = story.platform.orgs[1]?.name ?? '';
  let isGone = true;
  const without = await story.reload((config) => ({
    ...config,
    orgs: config.orgs.filter(({ name }) => !isGone || name !== gone),
  }));
  expect(without).toEqual({ ok: true });
  const readAt = (await story.page()).value(READ_AT) ?? 0;
  story.clock.advance(HOUR);

  // The schedules of the returning organization cannot be started.
  vi.spyOn(story.ticker, 'start').mockImplementation(() => {
    throw new Error('no schedule');
  });
  isGone = false;
  const answer = await story.get('/-/reload', { method: 'POST' });
  expect([answer.status, await answer.text()]).toEqual([
    500,
    'Configuration reloaded, but applying it was incomplete: no schedule\n',
  ]);
  vi.restoreAllMocks();
  expect(story.logged('level=error', 'Applying the new settings was incomplete', 'no schedule')).toHaveLength(
    1,
  );
  expect(story.logged('keeping the previous configuration')).toEqual([]);
  expect(story.service.status().orgs.map(({ name }) => name)).toEqual(['acme', gone]);
  const page = await story.page();
  expect(page.value(SUCCESSFUL)).toBe(1);
  expect(page.value(READ_AT)).toBeGreaterThan(readAt + 3_599);

  // The next reload does what was omitted.
  expect(await story.reload((config) => config)).toEqual({ ok: true });
  expect(await story.poll()).toEqual([]);
  expect((await story.page()).platform(gone).length).toBeGreaterThan(0);
});
