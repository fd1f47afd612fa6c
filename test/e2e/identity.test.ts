import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { answer, openStore } from '../store/files.ts';
import { firstCases } from '../support/thoroughness.ts';
import { HOUR, NOON, type Story, type StoryOptions, startStory } from './harness.ts';

const SUCCESS = 'agent_platform_exporter_collector_success';
const FAILING = 'agent_platform_exporter_collector_failing';
const ALL = ['activity', 'productivity', 'readiness', 'tokens', 'tools', 'wiki'];
const GLOBEX_KEY = 'sandbox-globex-owner';

function createFile(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'exporter-identity-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, 'history.db');
}

/** The exporter is configured with acme alone; the platform also has globex. */
function storyOn(file: string, begins: number, options: StoryOptions & { readonly key?: string } = {}) {
  const { key, sandbox, flags = [], ...rest } = options;
  return startStory({
    begins,
    ...rest,
    sandbox: { orgs: 2, ...sandbox },
    only: ['acme'],
    flags: [`storage.path=${file}`, ...flags],
    ...(key && { keys: { acme: key } }),
  });
}

async function figures(story: Story): Promise<readonly string[]> {
  return (await story.page()).platform('acme');
}

describe('the key of another organization', () => {
  test('destroys nothing, publishes nothing and has a hint', async () => {
    const file = createFile();
    const first = await storyOn(file, NOON);
    const before = await figures(first);
    await first.stop();
    const second = await storyOn(file, NOON + HOUR, { key: GLOBEX_KEY });
    expect(await figures(second)).toEqual(before);
    const page = await second.page();
    expect(page.by('collector', FAILING, { reason: 'organization' })).toEqual(
      Object.fromEntries(ALL.map((name) => [name, 1])),
    );
    const [acme, globex] = second.platform.orgs;
    expect(second.logged(String(acme?.orgId), String(globex?.orgId), '--api.org-id')).not.toEqual([]);
    await second.stop();
    const third = await storyOn(file, NOON + 2 * HOUR);
    expect(await figures(third)).toEqual(before);
    expect(Object.values((await third.page()).by('collector', SUCCESS))).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test('is accepted if configured, and the former rows return with the former identifier', async () => {
    const file = createFile();
    const first = await storyOn(file, NOON);
    const before = await figures(first);
    const [acme, globex] = first.platform.orgs;
    await first.stop();
    const other = await storyOn(file, NOON + HOUR, {
      key: GLOBEX_KEY,
      orgIds: { acme: String(globex?.orgId) },
    });
    const page = await other.page();
    expect(Object.values(page.by('collector', SUCCESS))).toEqual([1, 1, 1, 1, 1, 1]);
    expect(page.value('agent_platform_org_info', { org_id: String(globex?.orgId) })).toBe(1);
    expect(page.value('agent_platform_exporter_day_revisions_total', { dataset: 'tokens' })).toBe(0);
    await other.stop();
    const back = await storyOn(file, NOON + 2 * HOUR, {
      orgIds: { acme: String(acme?.orgId) },
      polled: false,
      sandbox: { faults: ['500'] },
    });
    expect(await figures(back)).toEqual(before);
  });
});

describe('a platform that sends another organization’s answers', () => {
  const endpoints = ['tokens', 'readiness', 'activity', 'productivity', 'tools', 'wiki'];
  test.each(firstCases(2, endpoints))(
    'at %s, once or always, changes nothing that is shown',
    async (endpoint) => {
      const story = await startStory();
      const before = await figures(story);
      story.platform.setFaults([`other-org@${endpoint}`]);
      const failed = await story.poll();
      const carriesId = endpoint !== 'readiness' && endpoint !== 'wiki';
      expect(failed).toEqual(carriesId ? [`acme/${endpoint}`] : []);
      if (!carriesId) return;
      expect(await figures(story)).toEqual(before);
      await story.poll();
      expect(await figures(story)).toEqual(before);
      story.platform.setFaults([]);
      expect(await story.poll()).toEqual([]);
      expect(await figures(story)).toEqual(before);
    },
  );

  test('everywhere changes nothing either, repositories included once an identifier was refused', async () => {
    const story = await startStory();
    const before = await figures(story);
    const analytics = ALL.filter((name) => name !== 'readiness' && name !== 'wiki');
    story.platform.setFaults(analytics.map((name) => `other-org@${name}`));
    await story.poll();
    story.platform.setFaults(['other-org']);
    expect(await story.poll()).toEqual(ALL.map((name) => `acme/${name}`));
    expect(await figures(story)).toEqual(before);
  });

  test('from the very first answer is refused if the identifier is configured', async () => {
    const plain = await startStory();
    const orgId = String(plain.platform.orgs[0]?.orgId);
    const story = await startStory({ sandbox: { faults: ['other-org@tokens'] }, orgIds: { acme: orgId } });
    const page = await story.page();
    expect(page.by('collector', FAILING, { reason: 'organization' })['tokens']).toBe(1);
    expect(page.value('agent_platform_org_info', { org_id: orgId })).toBe(1);
    story.platform.setFaults([]);
    await story.poll();
    expect((await story.page()).platform()).toEqual((await plain.page()).platform());
  });
});

describe('after a restart', () => {
  test('a collector that has answers but never succeeded as a whole has no last success', async () => {
    const file = createFile();
    const stored = openStore(file);
    await stored.putDays('acme', 'tokens', answer(['2026-11-01'], { '2026-11-01': {} }, NOON - HOUR));
    await stored.putSucceeded('acme', 'tools', NOON - HOUR);
    await stored.close();
    const story = await storyOn(file, NOON, { polled: false, sandbox: { faults: ['500'] } });
    const last = (await story.page()).by(
      'collector',
      'agent_platform_exporter_collector_last_success_timestamp_seconds',
    );
    expect(last).toEqual({ tools: (NOON - HOUR) / 1000 });
  });
});

test('a key that is an ordinary word stays in the words of a hint, and nowhere else', async () => {
  const story = await startStory({ keys: { acme: 'wrong' }, collectors: ['wiki'] });
  expect(story.logged('Collector failing')[0]).toContain('missing, wrong or revoked');
  const status = await (await story.get('/status')).text();
  expect(status).toContain('missing, wrong or revoked');
  expect(story.log().replaceAll('missing, wrong or revoked', '')).not.toContain('wrong');
});

test('people identified by e-mail are removed from the file when their collector is turned off', async () => {
  const file = createFile();
  const flags = ['collector.users', 'users.identity=email'];
  const first = await storyOn(file, NOON, { flags });
  const person = String(
    (await first.page()).find('agent_platform_daily_credits_by_user')[0]?.labels.get('user'),
  );
  expect(person).toContain('@');
  await first.stop();
  const folder = path.dirname(file);
  const holders = () =>
    readdirSync(folder).filter((name) => readFileSync(path.join(folder, name)).includes(person));
  expect(holders()).toEqual(['history.db']);
  const second = await storyOn(file, NOON + HOUR, { flags: ['users.identity=email'] });
  expect(holders()).toEqual([]);
  await second.stop();
  expect(holders()).toEqual([]);
});
