import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { startStory } from './harness.ts';
import { readPage } from './page.ts';

const SILENT = { sandbox: { faults: ['slow=1:600000'] }, flags: ['api.timeout=10m'], polled: false };

test('a platform that never answers keeps the service unready for a minute and no longer', async () => {
  const story = await startStory(SILENT);
  const waiting = await story.get('/-/ready');
  expect(waiting.status).toBe(503);
  expect(await waiting.text()).toContain('acme/tokens');
  expect((await story.get('/-/healthy')).status).toBe(200);
  expect((await story.page()).value('agent_platform_exporter_build_info')).toBe(1);
  story.clock.advance(50_000);
  expect((await story.get('/-/ready')).status).toBe(503);
  story.clock.advance(10_000);
  expect((await story.get('/-/ready')).status).toBe(200);
});

test('a failed attempt is enough to be ready', async () => {
  const story = await startStory({ sandbox: { faults: ['500'] } });
  expect((await story.get('/-/ready')).status).toBe(200);
  expect(
    (await story.page()).value('agent_platform_exporter_collector_success', { collector: 'tokens' }),
  ).toBe(0);
});

test('what a reload adds does not make a ready service unready', async () => {
  const story = await startStory({ flags: SILENT.flags, collectors: ['activity'] });
  expect((await story.get('/-/ready')).status).toBe(200);
  story.platform.setFaults(SILENT.sandbox.faults);
  await story.reload((config) => ({
    ...config,
    orgs: config.orgs.flatMap((org) => [org, { ...org, name: 'globex' }]),
  }));
  const [, globex] = story.service.status().orgs;
  expect(globex?.collectors.map(({ lastRunAt }) => lastRunAt)).toEqual([undefined]);
  expect((await story.get('/-/ready')).status).toBe(200);
});

test('it can be stopped while it waits for the platform', async () => {
  const story = await startStory(SILENT);
  await story.stop();
  await expect(story.get('/-/healthy')).rejects.toThrow();
});

test('once it is ready, the newest figures are on the page', async () => {
  const story = await startStory({ polled: false });
  await waitFor(async () => expect((await story.get('/-/ready')).status).toBe(200));
  const page = readPage(await (await story.get('/metrics')).text());
  for (const figure of [
    'daily_credits',
    'daily_tool_calls',
    'daily_active_users',
    'daily_git_commits',
    'wiki_runs',
  ]) {
    expect(page.value(`agent_platform_${figure}`), figure).toBeGreaterThan(0);
  }
});

test('stopping it twice stops it once', async () => {
  const { service } = await startStory();
  await Promise.all([service.stop(), service.stop()]);
  await service.stop();
});
