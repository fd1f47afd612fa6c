import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { createFileCredential } from '../../src/config/credential.ts';
import { LOOK_MS } from '../../src/config/followed.ts';
import { ConfigError } from '../../src/text/errors.ts';
import { createFakeFiles } from '../support/fake-files.ts';
import { waitFor } from '../support/wait-for.ts';
import { HOUR, type Story, startStory } from './harness.ts';

const SUCCESSFUL = 'agent_platform_exporter_config_last_reload_successful';
const READ_AT = 'agent_platform_exporter_config_last_reload_success_timestamp_seconds';
const CONFIGURED = 'agent_platform_exporter_config_org_timestamp_seconds';
const SUCCESS = 'agent_platform_exporter_collector_success';
/** One of days, what is derived from it, and one of documents: a reload treats all collectors of a kind alike. */
const KINDS = ['tokens', 'spend', 'readiness'];
const COLLECTORS = ['activity', 'productivity', 'readiness', 'tokens', 'tools', 'wiki'];

const without = (name: string) => (config: Config) => ({
  ...config,
  orgs: config.orgs.filter((org) => org.name !== name),
});
const same = (config: Config) => config;

/** Every line of a page that contains an organization's name. */
async function linesOf(story: Story, org: string): Promise<readonly string[]> {
  return (await story.page()).text.split('\n').filter((line) => line.includes(`org="${org}"`));
}

function idle(story: Story): Promise<void> {
  return waitFor(() => {
    for (const { collectors } of story.service.status().orgs) {
      for (const { state } of collectors) expect(state).toBe('ok');
    }
  });
}

describe('organizations', () => {
  test('that are removed leave nothing on the page, and do not affect others', async () => {
    const story = await startStory({ sandbox: { orgs: 2 }, collectors: KINDS });
    const acme = (await story.page()).platform('acme');
    expect(await story.reload(without('globex'))).toEqual({ ok: true });
    expect(await linesOf(story, 'globex')).toEqual([]);
    expect((await story.page()).platform('acme')).toEqual(acme);
    expect(story.service.status().orgs.map(({ name }) => name)).toEqual(['acme']);
    const requests = story.platform.requests.length;
    story.ticker.tick('20 * * * *');
    await idle(story);
    const asked = story.platform.requests.slice(requests);
    expect(asked.map(({ org }) => org)).not.toContain('globex');
  });

  test('are shown with the time at which their configuration was applied, those of other shards too', async () => {
    const story = await startStory({ sandbox: { orgs: 2 }, collectors: KINDS });
    const before = (await story.page()).by('org', CONFIGURED);
    story.clock.advance(HOUR);
    await story.reload((config) => ({ ...without('globex')(config), elsewhere: ['initech'] }));
    const after = (await story.page()).by('org', CONFIGURED);
    const [then = 0, now] = [before['acme'], after['acme']];
    expect([before, after]).toEqual([
      { acme: then, globex: then },
      { acme: now, initech: now },
    ]);
    expect(now).toBeGreaterThanOrEqual(then + HOUR / 1000);
  });

  test('that are added are polled at once', async () => {
    const story = await startStory({ sandbox: { orgs: 2 } });
    const globex = (await story.page()).platform('globex');
    await story.reload(without('globex'));
    await story.reload(same);
    await idle(story);
    const page = await story.page();
    expect(page.platform('globex')).toEqual(globex);
    expect(page.by('collector', SUCCESS, { org: 'globex' })).toEqual(
      Object.fromEntries(COLLECTORS.map((name) => [name, 1])),
    );
    expect(
      page.value('agent_platform_exporter_api_requests_total', {
        ...{ org: 'globex', endpoint: 'tokens', code: '500' },
      }),
    ).toBe(0);
    expect((await story.get('/-/ready')).status).toBe(200);
  });

  test('stay on the page while others are added and removed', async () => {
    const story = await startStory({ sandbox: { orgs: 2 }, collectors: KINDS });
    const acme = (await story.page()).platform('acme');
    let left = 4;
    const scraping = (async () => {
      try {
        for (; left > 0; left--) expect((await story.page()).platform('acme')).toEqual(acme);
      } finally {
        left = 0;
      }
    })();
    while (left > 0) {
      await story.reload(without('globex'));
      await story.reload(same);
      // Lets the scrapes go on, even if a reload has nothing to wait for.
      await story.get('/-/healthy');
    }
    await scraping;
  });

  test('whose URL changes: the run in progress is discarded, and the new URL is used at once', async () => {
    const story = await startStory({ sandbox: { orgs: 2 }, collectors: KINDS });
    story.platform.setFaults(['slow=1:60000@org=acme']);
    story.ticker.tick('20 * * * *');
    await waitFor(() => {
      const [acme] = story.service.status().orgs;
      expect(acme?.collectors.filter(({ state }) => state === 'running')).not.toEqual([]);
    });
    story.platform.setFaults([]);
    const elsewhere = story.platformUrl.replace('127.0.0.1', 'localhost');
    const requests = story.platform.requests.length;
    const outcome = await story.reload((config) => ({
      ...config,
      orgs: config.orgs.map((org) => (org.name === 'acme' ? { ...org, baseUrl: elsewhere } : org)),
    }));
    expect(outcome).toEqual({ ok: true });
    await idle(story);
    expect(story.platform.requests.length).toBeGreaterThan(requests);
    expect(story.logged('Collector failing')).toEqual([]);
    expect(story.service.status().orgs.map(({ apiHost }) => apiHost.split(':')[0])).toEqual([
      'localhost',
      '127.0.0.1',
    ]);
  });

  test('begin a run in progress again if their settings are unchanged, and nothing else', async () => {
    const story = await startStory({ collectors: KINDS });
    story.platform.setFaults(['slow=1:300']);
    story.ticker.tick('20 * * * *');
    const requests = story.platform.requests.length;
    expect(await story.reload(same)).toEqual({ ok: true });
    await idle(story);
    expect(story.platform.requests.length - requests).toBeLessThanOrEqual(4);
    expect(story.logged('Collector failing')).toEqual([]);
  });
});

describe('a configuration that cannot be used', () => {
  const broken = () => {
    throw new ConfigError('c.yml:3: schedule.wiki: "x" is not a cron schedule', 'write five fields');
  };

  test('changes nothing, and is reported in the metrics, the log and the status page until it is fixed', async () => {
    const story = await startStory({ flags: ['web.enable-lifecycle'], collectors: KINDS });
    const before = await story.page();
    expect([before.value(SUCCESSFUL), before.value(READ_AT)]).toEqual([1, expect.closeTo(1_795_176_000, -2)]);
    expect(await story.reload(broken)).toEqual({ ok: false, problem: expect.stringContaining('c.yml:3') });
    const page = await story.page();
    expect(page.platform()).toEqual(before.platform());
    expect([page.value(SUCCESSFUL), page.value(READ_AT)]).toEqual([0, before.value(READ_AT)]);
    expect(
      story.logged('level=error', 'keeping the previous configuration', 'write five fields'),
    ).toHaveLength(1);
    expect(await (await story.get('/')).text()).toContain('The changed configuration is not in use');
    expect(await (await story.get('/status')).json()).toMatchObject({
      configuration: { problem: expect.stringContaining('c.yml:3') },
    });
    const answer = await story.get('/-/reload', { method: 'POST' });
    expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining('c.yml:3')]);

    story.clock.advance(HOUR);
    expect(await story.reload(same)).toEqual({ ok: true });
    const mended = await story.page();
    expect(mended.value(SUCCESSFUL)).toBe(1);
    expect(mended.value(READ_AT)).toBeGreaterThan((before.value(READ_AT) ?? 0) + 3_599);
    expect(await (await story.get('/')).text()).not.toContain('not in use');
    const good = await story.get('/-/reload', { method: 'POST' });
    expect([good.status, await good.text()]).toEqual([200, 'Configuration reloaded.\n']);
  });

  test('a URL without a possible client is rejected before anything changes', async () => {
    const story = await startStory({ sandbox: { orgs: 2 }, collectors: KINDS });
    const before = await story.page();
    const outcome = await story.reload((config) => ({
      ...config,
      orgs: config.orgs
        .map((org) => (org.name === 'acme' ? { ...org, baseUrl: 'nowhere' } : org))
        .slice(0, 1),
    }));
    expect(outcome).toMatchObject({ ok: false });
    expect((await story.page()).platform()).toEqual(before.platform());
    expect(await story.poll()).toEqual([]);
  });

  test('POST /-/reload is refused where lifecycle requests are off', async () => {
    const story = await startStory({ collectors: ['wiki'] });
    const answer = await story.get('/-/reload', { method: 'POST' });
    expect([answer.status, await answer.text()]).toEqual([
      403,
      expect.stringContaining('--web.enable-lifecycle'),
    ]);
  });
});

describe('settings', () => {
  test('a collector that is switched off is removed completely, and returns', async () => {
    const story = await startStory();
    const before = await story.page();
    const ofTools = (text: string) => text.split('\n').filter((line) => /tools|tool_calls/.test(line));
    await story.reload((config) => ({
      ...config,
      collectors: new Map([...config.collectors, ['tools', false]]),
    }));
    expect(ofTools((await story.page()).text)).toEqual([]);
    expect((await story.get('/metrics?collect[]=tools')).status).toBe(400);
    await story.reload(same);
    await idle(story);
    expect((await story.page()).platform()).toEqual(before.platform());
  });

  test('a run in progress begins again once another collector is switched off', async () => {
    const story = await startStory({ collectors: [...KINDS, 'wiki'] });
    story.platform.setFaults(['slow=1:600000@tokens']);
    const asked = story.platform.requests.length;
    story.ticker.tick('20 * * * *');
    // A run whose request has not come yet would send only one.
    await waitFor(() => expect(story.platform.unanswered).toContain('tokens'));
    story.platform.setFaults([]);
    const outcome = await story.reload((config) => ({
      ...config,
      collectors: new Map([...config.collectors, ['wiki', false]]),
    }));
    expect(outcome).toEqual({ ok: true });
    await idle(story);
    // The aborted request, and that of the run that began again.
    const again = story.platform.requests.slice(asked).filter(({ path }) => path.endsWith('/tokens'));
    expect(again).toHaveLength(2);
    expect(story.logged('Collector failing')).toEqual([]);
  });

  test('schedules change without a run in between', async () => {
    const story = await startStory({ collectors: ['wiki'] });
    const requests = story.platform.requests.length;
    await story.reload((config) => ({ ...config, schedules: { ...config.schedules, wiki: '5 * * * *' } }));
    story.ticker.tick('50 * * * *');
    await idle(story);
    expect(story.platform.requests.length).toBe(requests);
    story.ticker.tick('5 * * * *');
    await waitFor(() => expect(story.platform.requests.length).toBeGreaterThan(requests));
  });

  test('settings that require a restart are logged once, and named by each reload', async () => {
    const story = await startStory({ collectors: ['wiki'] });
    const moved = (config: Config) => ({
      ...config,
      restart: new Map<string, unknown>([
        ...config.restart,
        ['storage.path', '/elsewhere/history.db'],
        ['web.listen-address', { host: undefined, port: 1 }],
      ]),
    });
    const notes = ['Changed options take effect after a restart: --storage.path --web.listen-address'];
    for (let round = 0; round < 3; round++) expect(await story.reload(moved)).toEqual({ ok: true, notes });
    const said = story.logged('level=warn', 'take effect after a restart');
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('--storage.path --web.listen-address');
  });

  test('an address that ends like the paths of the API is noted by each reload, and in the log', async () => {
    const story = await startStory({ collectors: ['wiki'] });
    const longer = (config: Config) => ({
      ...config,
      orgs: config.orgs.map((org) => ({ ...org, baseUrl: `${org.baseUrl}/api/v1/` })),
    });
    const notes = ['base_url of acme: requests go to /api/v1/api/v1/…; leave out /api/v1'];
    expect(await story.reload(longer)).toEqual({ ok: true, notes });
    expect(story.logged('level=warn', 'base_url', 'hint="leave out /api/v1"')).toHaveLength(1);
    expect(await story.reload(same)).toEqual({ ok: true });
  });

  test('what is weak in the web configuration is said by each reload', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'weak-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'web.yml');
    writeFileSync(file, 'rate_limit: {interval: 1s, burst: 5}\n');
    const story = await startStory({ collectors: ['wiki'], flags: [`web.config.file=${file}`] });
    expect(await story.reload(same)).toEqual({ ok: true });
    writeFileSync(file, 'rate_limit: {interval: 1s, burst: 0}\n');
    const notes = [expect.stringMatching(/^Weak web configuration: .*web\.yml:1: .*no request passes$/)];
    for (let round = 0; round < 2; round++) expect(await story.reload(same)).toEqual({ ok: true, notes });
  });

  test('concurrent reloads run one after the other, and the last one wins', async () => {
    const story = await startStory({ sandbox: { orgs: 2 }, collectors: KINDS });
    const outcomes = await Promise.all([
      story.reload(without('globex')),
      story.reload(without('acme')),
      story.reload(same),
      story.reload(without('globex')),
    ]);
    expect(outcomes).toEqual(outcomes.map(() => ({ ok: true })));
    expect(story.service.status().orgs.map(({ name }) => name)).toEqual(['acme']);
    expect(await linesOf(story, 'globex')).toEqual([]);
  });
});

describe('keys', () => {
  test('a rotated key is used on the next request, without a reload', async () => {
    const contents = new Map<string, string | Error>([['/run/key', 'sandbox-acme-owner\n']]);
    const credential = await createFileCredential('/run/key', 'the key', createFakeFiles(contents));
    const story = await startStory();
    await story.reload((config) => ({ ...config, orgs: config.orgs.map((org) => ({ ...org, credential })) }));
    expect(await story.poll()).toEqual([]);
    contents.set('/run/key', 'sandbox-acme-revoked');
    expect(await story.poll()).toHaveLength(COLLECTORS.length);
    contents.set('/run/key', 'sandbox-acme-owner');
    expect(await story.poll()).toEqual([]);
    expect(story.log()).not.toMatch(/sandbox-acme-(owner|revoked)/);
  });

  test('a hooks token that cannot be used is reported, and the last good one stays in use', async () => {
    const files = new Map<string, string | Error>([['token', 'first-token']]);
    const environment = { AGENT_PLATFORM_HOOKS_TOKEN_FILE: 'token' };
    const story = await startStory({ files, environment, collectors: ['wiki'] });
    const isSuccessful = async (expected: number) => {
      story.clock.advance(LOOK_MS);
      expect((await story.page()).value(SUCCESSFUL)).toBe(expected);
    };
    files.set('token', '"second-token"');
    await waitFor(() => isSuccessful(0));
    expect(story.logged('level=error', 'hooks token', 'quotation marks')).toHaveLength(1);
    files.set('token', 'second-token');
    await waitFor(() => isSuccessful(1));
  });

  test('another source of the key takes effect on reload, even for a run in progress', async () => {
    const contents = new Map<string, string | Error>([['/run/new', 'sandbox-acme-owner']]);
    const credential = await createFileCredential('/run/new', 'the new key', createFakeFiles(contents));
    const story = await startStory({ keys: { acme: 'sandbox-acme-mistyped' } });
    expect(await story.poll()).toHaveLength(COLLECTORS.length);
    await story.reload((config) => ({ ...config, orgs: config.orgs.map((org) => ({ ...org, credential })) }));
    expect(await story.poll()).toEqual([]);
    expect(story.log()).not.toContain('mistyped');
  });
});
