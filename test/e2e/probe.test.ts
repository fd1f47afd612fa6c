import { expect, test } from 'vitest';
import { startStory } from './harness.ts';
import { readPage } from './page.ts';

test('a probe has one organization’s series, the scrape’s own values, and nothing about the process', async () => {
  const story = await startStory({ sandbox: { orgs: 2 }, collectors: ['tokens', 'readiness'] });
  const names = story.platform.orgs.map(({ name }) => name);
  const page = await story.page();
  expect(page.platform(names[0])).not.toEqual(page.platform(names[1]));
  for (const [index, name] of names.entries()) {
    const answer = await story.get(`/probe?target=${name}`);
    expect(answer.status).toBe(200);
    const probe = readPage(await answer.text());
    expect(probe.platform(), name).toEqual(page.platform(name));
    expect(probe.platform().length).toBeGreaterThan(20);
    expect(probe.value('probe_success')).toBe(1);
    expect(probe.samples.filter(({ name }) => /exporter|process|nodejs/.test(name))).toEqual([]);
    expect(probe.text).not.toContain(`org="${names[1 - index]}"`);
  }
});

test('a probe of some collectors has their series of its organization', async () => {
  const story = await startStory({ sandbox: { orgs: 2 }, collectors: ['tokens', 'tools'] });
  const page = await story.page();
  for (const { name } of story.platform.orgs) {
    const probe = readPage(await (await story.get(`/probe?target=${name}&collect[]=tools`)).text());
    expect(probe.find('agent_platform_daily_tool_calls_by_tool').length).toBeGreaterThan(2);
    expect(probe.find('agent_platform_daily_credits')).toEqual([]);
    for (const line of probe.platform()) expect(page.platform(name)).toContain(line);
  }
});

test('a failing collector shows in its own organization’s probe only, together with the last good figures', async () => {
  const story = await startStory({ sandbox: { orgs: 2 }, collectors: ['tokens'] });
  const [acme = '', other = ''] = story.platform.orgs.map(({ name }) => name);
  const otherBefore = readPage(await (await story.get(`/probe?target=${other}`)).text());
  const before = readPage(await (await story.get(`/probe?target=${acme}`)).text());
  story.platform.setFaults([`500@org=${acme}`]);
  await story.poll();
  const after = readPage(await (await story.get(`/probe?target=${acme}`)).text());
  expect(after.value('probe_success')).toBe(0);
  expect(after.platform()).toEqual(before.platform());
  const otherAfter = readPage(await (await story.get(`/probe?target=${other}`)).text());
  expect(otherAfter.value('probe_success')).toBe(1);
  expect(otherAfter.platform()).toEqual(otherBefore.platform());
  expect(otherAfter.platform()).toEqual((await story.page()).platform(other));
});

test('an organization that never answered is unsuccessful', async () => {
  const story = await startStory({ sandbox: { orgs: 1 }, collectors: ['tokens'], keys: { acme: 'wrong' } });
  const probe = readPage(await (await story.get('/probe?target=acme')).text());
  expect(probe.value('probe_success')).toBe(0);
  expect(probe.find('agent_platform_daily_credits')).toEqual([]);
});
