import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { DAY, HOUR, startStory } from './harness.ts';

const SUCCESS = 'agent_platform_exporter_collector_success';
const FAILING = 'agent_platform_exporter_collector_failing';

test('maintenance of one endpoint from the first request on costs no other collector anything', async () => {
  const story = await startStory({ sandbox: { faults: ['503=1:3600@wiki'] } });
  const page = await story.page();
  expect(page.by('collector', SUCCESS)).toMatchObject({ wiki: 0, tokens: 1, tools: 1, readiness: 1 });
  expect(page.by('collector', FAILING, { reason: 'server' })).toMatchObject({ wiki: 1, tokens: 0 });
  expect(page.by('collector', FAILING, { reason: 'throttled' })).toMatchObject({ wiki: 0, tokens: 0 });
  const asked = story.platform.requests.filter(({ path }) => path.includes('wiki')).length;
  story.platform.setFaults([]);
  expect(await story.poll()).toEqual(['acme/wiki']);
  expect(story.platform.requests.filter(({ path }) => path.includes('wiki'))).toHaveLength(asked);
  story.clock.advance(HOUR);
  expect(await story.poll()).toEqual([]);
});

test('POST /-/refresh says what is paused until when', async () => {
  const story = await startStory({
    sandbox: { faults: ['503=1:1800@wiki'] },
    flags: ['web.enable-lifecycle'],
  });
  const answer = await (await story.get('/-/refresh', { method: 'POST' })).text();
  expect(answer).toMatch(
    /^A run of every collector was requested\.\n- acme, wiki: paused until 2026-11-20T12:3/,
  );
});

test('a rate limit of a year is retried after an hour, by one request', async () => {
  const story = await startStory();
  story.platform.setFaults(['429=1:31536000']);
  await story.poll();
  const asked = story.platform.requests.length;
  story.clock.advance(HOUR);
  expect(await story.poll()).toHaveLength(6);
  expect(story.platform.requests).toHaveLength(asked + 1);
  story.platform.setFaults([]);
  story.clock.advance(HOUR);
  expect(await story.poll()).toEqual([]);
});

test.each(['an organization', 'a collector'])(
  '%s removed while its requests hang leaves no series',
  async (what) => {
    const story = await startStory({ sandbox: { orgs: 2 } });
    const gone = story.platform.orgs[1]?.name ?? '';
    // Of the tested collector only its own requests hang: the organization's others must be able to finish.
    const where = what === 'an organization' ? '' : '@wiki';
    story.platform.setFaults([`slow=1:600000${where}@org=${gone}`]);
    story.clock.advance(DAY);
    for (const schedule of ['20 * * * *', '40 * * * *', '50 * * * *']) story.ticker.tick(schedule);
    const isGone = (line: string) =>
      what === 'an organization'
        ? line.includes(`org="${gone}"`)
        : /(collector|dataset|endpoint)="wiki"/.test(line) || line.startsWith('agent_platform_wiki_');
    // Everything else has ended, so that what is unanswered is what hangs.
    const isHanging = (name: string) =>
      where === '' ? name.startsWith(`${gone}/`) : name === `${gone}/wiki`;
    const running = () =>
      story.service
        .status()
        .orgs.flatMap(({ name, collectors }) =>
          collectors.flatMap((one) => (one.state === 'running' ? [`${name}/${one.name}`] : [])),
        );
    await waitFor(() => {
      expect(running().filter((name) => !isHanging(name))).toEqual([]);
      expect(story.platform.unanswered).toContain('wiki');
    });
    const outcome = await story.reload((config) =>
      what === 'an organization'
        ? { ...config, orgs: config.orgs.filter(({ name }) => name !== gone) }
        : { ...config, collectors: new Map([...config.collectors, ['wiki', false]]) },
    );
    expect(outcome).toEqual({ ok: true });
    const left = () => story.page().then(({ text }) => text.split('\n').filter(isGone));
    expect(await left()).toEqual([]);
    // Everything else continues, and the hanging request has had every chance to be counted.
    story.platform.setFaults([]);
    await story.poll();
    expect(await left()).toEqual([]);
  },
);
