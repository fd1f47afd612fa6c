import { expect, test } from 'vitest';
import { startStory } from './harness.ts';
import { readPage } from './page.ts';

test('a probe has one organization’s series, the scrape’s own values, and nothing about the process', async () => {
  const story = await startStory({ sandbox: { orgs: 2 }, collectors: ['tokens', 'readiness'] });
  const [acme, other] = story.platform.orgs.map(({ name }) => name);
  const answer = await story.get(`/probe?target=${acme}`);
  expect(answer.status).toBe(200);
  const probe = readPage(await answer.text());
  expect(probe.platform()).toEqual((await story.page()).platform(acme));
  expect(probe.platform().length).toBeGreaterThan(20);
  expect(probe.value('probe_success')).toBe(1);
  expect(probe.samples.filter(({ name }) => /exporter|process|nodejs/.test(name))).toEqual([]);
  expect(probe.text).not.toContain(`org="${other}"`);
});

test('a failing collector shows in its own organization’s probe only, together with the last good figures', async () => {
  const story = await startStory({ sandbox: { orgs: 2 }, collectors: ['tokens'] });
  const [acme = '', other = ''] = story.platform.orgs.map(({ name }) => name);
  const before = readPage(await (await story.get(`/probe?target=${acme}`)).text());
  story.platform.setFaults([`500@org=${acme}`]);
  await story.poll();
  const after = readPage(await (await story.get(`/probe?target=${acme}`)).text());
  expect(after.value('probe_success')).toBe(0);
  expect(after.platform()).toEqual(before.platform());
  expect(readPage(await (await story.get(`/probe?target=${other}`)).text()).value('probe_success')).toBe(1);
});

test('an organization that never answered is unsuccessful', async () => {
  const story = await startStory({ sandbox: { orgs: 1 }, collectors: ['tokens'], keys: { acme: 'wrong' } });
  const probe = readPage(await (await story.get('/probe?target=acme')).text());
  expect(probe.value('probe_success')).toBe(0);
  expect(probe.find('agent_platform_daily_credits')).toEqual([]);
});
