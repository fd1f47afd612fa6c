import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY, HOUR, NOON, type Story, startStory } from './harness.ts';

const DATA_DAY = 'agent_platform_data_day_timestamp_seconds';

/** The requests to one endpoint, as the requested days. */
function asked(story: Story, endpoint: string): readonly string[] {
  return story.platform.requests
    .filter(({ path }) => path.endsWith(`/${endpoint}`))
    .map(({ query }) => `${query['startDate']}..${query['endDate']}`);
}

/** The page's text without the exporter's own metrics. */
async function figuresOf(story: Story): Promise<string> {
  // A whole scrape is shared for a second.
  story.clock.advance(2_000);
  await story.service.flush();
  const text = await (await story.get('/metrics')).text();
  const [figures] = text.split('# HELP agent_platform_exporter_');
  return figures ?? '';
}

/** When each collector last succeeded, as the status says it. */
function lastSuccesses(story: Story) {
  const [acme] = story.service.status().orgs;
  return new Map(acme?.collectors.map(({ name, lastSuccessAt }) => [name, lastSuccessAt]));
}

describe('after a restart', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'exporter-restart-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Uses the history with that name; an existing one is reused. */
  async function story(
    name: string,
    begins: number,
    faults: readonly string[] = [],
    more: readonly string[] = [],
  ): Promise<Story> {
    const flags = [`storage.path=${join(folder, name)}`, ...more];
    return startStory({ begins, sandbox: { repos: 6, faults }, flags });
  }

  test('what was known is published, although the platform is down', async () => {
    const first = await story('known.db', NOON);
    const before = await first.page();
    const succeeded = lastSuccesses(first);
    await first.stop();
    const second = await story('known.db', NOON + 2 * HOUR, ['500']);
    const page = await second.page();
    expect(before.platform().length).toBeGreaterThan(500);
    expect(page.platform()).toEqual(before.platform());
    const last = 'agent_platform_exporter_collector_last_success_timestamp_seconds';
    expect(page.value(last, { collector: 'tokens' })).toBeCloseTo(
      Number(before.value(last, { collector: 'tokens' })),
      0,
    );
    expect(page.value('agent_platform_exporter_collector_success', { collector: 'tokens' })).toBe(0);
    expect(succeeded.size).toBeGreaterThan(5);
    expect(lastSuccesses(second)).toEqual(succeeded);
  });

  test('nothing on the page has changed by a byte, and no unfinished page was assembled', async () => {
    const first = await story('same.db', NOON);
    const before = await figuresOf(first);
    const stoppedAt = first.clock.now();
    await first.stop();
    const second = await story('same.db', stoppedAt, ['500'], ['log.level=debug']);
    expect(await figuresOf(second)).toBe(before);
    expect(before.length).toBeGreaterThan(50_000);
    // The platform is down, so that only what was stored has days.
    const log = second.log();
    expect(log).toContain('msg="Newer day published"');
    expect(log.indexOf('msg=Published')).toBeGreaterThan(log.lastIndexOf('msg="Newer day published"'));
  });

  test('only missing data is requested, and nothing counts as revised', async () => {
    const first = await story('missing.db', NOON);
    await first.stop();
    const second = await story('missing.db', NOON + DAY);
    // The revision window and no more: the days before it are known.
    expect(
      asked(second, 'tokens')
        .flatMap((window) => window.split('..'))
        .toSorted()[0],
    ).toBe('2026-11-14');
    const page = await second.page();
    expect(page.value(DATA_DAY, { dataset: 'tokens' })).toBe(Date.UTC(2026, 10, 20) / 1000);
    expect(page.value('agent_platform_exporter_day_revisions_total', { dataset: 'tokens' })).toBe(0);
    const whole = await startStory({ begins: NOON + DAY, sandbox: { repos: 6 } });
    expect(page.platform()).toEqual((await whole.page()).platform());
  });

  test('the age of the last good answer continues', async () => {
    const first = await story('old.db', NOON);
    const before = await first.page();
    await first.stop();
    const second = await story('old.db', NOON + 8 * DAY, ['500']);
    const page = await second.page();
    const figures = page.platform().filter((line) => !/_data_day_|_uncovered|_org_info/.test(line));
    expect(figures).toEqual([]);
    expect(page.by('dataset', DATA_DAY)).toEqual(before.by('dataset', DATA_DAY));
    second.platform.setFaults([]);
    expect(await second.poll()).toEqual([]);
    expect((await second.page()).value(DATA_DAY, { dataset: 'tokens' })).toBe(Date.UTC(2026, 10, 27) / 1000);
  });
});
