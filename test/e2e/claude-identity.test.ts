import { describe, expect, test } from 'vitest';
import { createFixedCredential } from '../../src/config/credential.ts';
import { defaultPlatform, platformNamed } from '../../src/platforms/index.ts';
import { type Change, type ClaudeStory, startClaudeStory } from './claude-story.ts';
import { HOUR, startStory } from './harness.ts';

const collectors = ['tokens', 'activity'];
const HEADER = 'anthropic-organization-id';
const KIND = 'claude:127.0.0.1:console';

const withoutHeader: Change = ({ headers }) => {
  delete headers[HEADER];
};

/** The published identifier of the organization. */
async function orgIdOf(story: ClaudeStory): Promise<string | undefined> {
  return (await story.page()).find('agent_platform_org_info')[0]?.labels.get('org_id');
}

const idOf = ({ sandbox }: ClaudeStory, index = 0) => sandbox.orgs[index]?.orgId ?? '';

describe('the organization', () => {
  test('is that of the header, or the configured one in any case', async () => {
    const story = await startClaudeStory({ collectors });
    expect(await orgIdOf(story)).toBe(`${KIND}:${idOf(story)}`);
    await story.stop();
    const configured = await startClaudeStory({ collectors, orgId: idOf(story).toUpperCase() });
    expect(await orgIdOf(configured)).toBe(`${KIND}:${idOf(story)}`);
    expect(await configured.poll()).toEqual([]);
    expect(configured.logged('level=warn')).toEqual([]);
  });

  test('may be configured as a hint has it', async () => {
    const { sandbox, stop } = await startClaudeStory({ collectors });
    await stop();
    const story = await startClaudeStory({ collectors, orgId: `${KIND}:${sandbox.orgs[0]?.orgId}` });
    expect(await story.poll()).toEqual([]);
    expect(await orgIdOf(story)).toBe(`${KIND}:${idOf(story)}`);
  });

  test('of another key is refused, with both names', async () => {
    const orgId = '11111111-2222-4333-8444-555555555555';
    const story = await startClaudeStory({ collectors, orgId });
    expect(await story.poll()).toEqual(['anna/activity', 'anna/tokens']);
    const said = `the answer is from the organization ${KIND}:${idOf(story)}, but the history of anna belongs to ${KIND}:${orgId}`;
    expect(story.logged(said).length).toBeGreaterThan(0);
    expect((await story.page()).find('agent_platform_daily_cost')).toEqual([]);
  });

  test('that changes with the key is refused, until its identifier is configured', async () => {
    let isOther = false;
    const change: Change = ({ headers }) => {
      if (isOther) headers[HEADER] = '11111111-2222-4333-8444-555555555555';
    };
    const story = await startClaudeStory({ collectors, change });
    isOther = true;
    expect(await story.poll()).toEqual(['anna/activity', 'anna/tokens']);
    expect(await orgIdOf(story)).toBe(`${KIND}:${idOf(story)}`);
  });

  test('is its kind alone where no answer names it, with one warning, until one does', async () => {
    let change = withoutHeader;
    const story = await startClaudeStory({ collectors, change: (answer, url) => change(answer, url) });
    expect(await orgIdOf(story)).toBe(KIND);
    expect(await story.poll()).toEqual([]);
    expect(story.logged('level=warn')).toEqual([
      expect.stringContaining('No answer names the organization of the key'),
    ]);
    change = () => undefined;
    story.clock.advance(HOUR);
    const before = story.asked.length;
    expect(await story.poll()).toEqual([]);
    expect(await orgIdOf(story)).toBe(`${KIND}:${idOf(story)}`);
    // What is known stays: only the newest day was asked for.
    expect(story.asked.length - before).toBe(3);
    change = withoutHeader;
    story.clock.advance(HOUR);
    expect(await story.poll()).toEqual([]);
    expect(await orgIdOf(story)).toBe(`${KIND}:${idOf(story)}`);
    expect(story.logged('level=warn')).toHaveLength(1);
    expect(story.logged('set aside')).toEqual([]);
  });

  test.each([
    ['with an identifier', () => undefined],
    ['without one', withoutHeader],
  ])('%s that moves to another platform leaves its history behind, and gets it back', async (_, change) => {
    const story = await startClaudeStory({ collectors: ['tokens', 'spend'], change });
    const cost = async () => (await story.page()).value('agent_platform_daily_cost', { currency: 'USD' });
    const before = await cost();
    expect(before).toBeGreaterThan(0);
    const owner = story.platform.orgs[0]?.keys.owner ?? '';
    const [baseUrl, credential] = [story.platformUrl, createFixedCredential(owner, 'the test')];
    let claudes: unknown;
    const outcome = await story.reload((config) => {
      claudes = config.orgs;
      const moved = { name: 'anna', platform: defaultPlatform, orgId: undefined };
      return { ...config, orgs: [{ ...moved, baseUrl, appUrl: baseUrl, credential }] };
    });
    expect(outcome.ok).toBe(true);
    await story.poll();
    const moved = await story.page();
    expect(moved.find('agent_platform_daily_cost')).toEqual([]);
    expect(moved.value('agent_platform_daily_credits')).toBeGreaterThan(0);
    expect(story.logged('history of the former one set aside')).toHaveLength(1);
    await story.reload((config) => ({ ...config, orgs: claudes as typeof config.orgs }));
    await story.poll();
    expect(await cost()).toBe(before);
    expect((await story.page()).find('agent_platform_daily_credits')).toEqual([]);
  });

  test.each([
    ['without an identifier', withoutHeader],
    ['with the identifier of its answers', () => undefined],
  ])(
    '%s that becomes one of the other kind leaves its history behind, and gets it back',
    async (_, change) => {
      const story = await startClaudeStory({ collectors: ['tokens', 'spend'], change });
      const cost = async () => (await story.page()).value('agent_platform_daily_cost', { currency: 'USD' });
      const before = await cost();
      expect(before).toBeGreaterThan(0);
      let former: unknown;
      await story.reload((config) => {
        former = config.orgs;
        const nowhere = { kind: 'enterprise', baseUrl: 'http://127.0.0.1:1' };
        return { ...config, orgs: config.orgs.map((anna) => ({ ...anna, ...nowhere })) };
      });
      expect((await story.page()).platform('anna').filter((line) => line.includes('daily_'))).toEqual([]);
      expect(story.logged('history of the former one set aside')).toHaveLength(1);
      await story.reload((config) => ({ ...config, orgs: former as typeof config.orgs }));
      await story.poll();
      expect(await cost()).toBe(before);
    },
  );

  test('that does not answer shows nothing of another platform whose answers named nobody, and leaves it its history', async () => {
    const story = await startStory({ only: ['acme'], rewrite: withoutIdentity });
    const credits = async () => (await story.page()).value('agent_platform_daily_credits');
    const before = await credits();
    expect(before).toBeGreaterThan(0);
    let former: unknown;
    const nowhere = 'http://127.0.0.1:1';
    await story.reload((config) => {
      former = config.orgs;
      const moved = { platform: platformNamed('claude'), kind: 'console', baseUrl: nowhere, appUrl: nowhere };
      return { ...config, orgs: config.orgs.map((acme) => ({ ...acme, ...moved, orgId: undefined })) };
    });
    expect((await story.page()).platform('acme').filter((line) => line.includes('daily_'))).toEqual([]);
    await story.reload((config) => ({ ...config, orgs: former as typeof config.orgs }));
    expect(await credits()).toBe(before);
  });
});

/** The answers of a platform that does not say whose they are. */
function withoutIdentity(answered: unknown): unknown {
  if (typeof answered !== 'object' || answered === null || !('meta' in answered)) return answered;
  const { meta, ...rest } = answered;
  return { ...rest, meta: { ...(meta as object), org_id: undefined } };
}
