import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { DAY, startStory } from './harness.ts';

const ANALYTICS = '20 * * * *';

test('the collectors of a schedule run when it ticks, and no others', async () => {
  const story = await startStory();
  story.clock.advance(DAY);
  const before = story.platform.requests.length;
  story.ticker.tick(ANALYTICS);
  await waitFor(async () => {
    const page = await story.page();
    expect(new Set(Object.values(page.by('dataset', 'agent_platform_data_day_timestamp_seconds')))).toEqual(
      new Set([Date.UTC(2026, 10, 20) / 1000]),
    );
  });
  const asked = new Set(story.platform.requests.slice(before).map(({ path }) => path));
  expect([...asked].sort()).toEqual(
    ['activity', 'productivity', 'tokens', 'tools'].map((name) => `/api/v1/analytics/${name}`),
  );
});

test('a tick during a run is skipped: there are no concurrent runs', async () => {
  const story = await startStory({ sandbox: { faults: ['slow=1:600000@wiki'] }, polled: false });
  await waitFor(() => expect(story.platform.unanswered).toContain('wiki'));
  story.ticker.tick('50 * * * *');
  await waitFor(() => expect(story.logged('Previous run still in progress', 'acme/wiki')).toHaveLength(1));
});

test('POST /-/refresh fetches the whole revision window again, and only if it is enabled', async () => {
  const closed = await startStory();
  expect((await closed.get('/-/refresh', { method: 'POST' })).status).toBe(403);
  const story = await startStory({ flags: ['web.enable-lifecycle'] });
  const before = story.platform.requests.length;
  expect((await story.get('/-/refresh', { method: 'POST' })).ok).toBe(true);
  await waitFor(() => {
    const asked = story.platform.requests.slice(before).filter(({ path }) => path.endsWith('/tokens'));
    expect(asked.map(({ query }) => query)).toEqual([
      { startDate: '2026-11-19', endDate: '2026-11-19' },
      { startDate: '2026-11-13', endDate: '2026-11-18' },
    ]);
  });
});
