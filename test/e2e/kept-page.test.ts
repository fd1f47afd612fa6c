import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { DAY, HOUR, NOON, type Story, type StoryOptions, startStory } from './harness.ts';

const LOADED = 'Stored history loaded';
const SUCCESS = 'agent_platform_exporter_collector_last_success_timestamp_seconds';
const FOLDED = 'agent_platform_exporter_values_folded';
const TOOLS = 'agent_platform_daily_tool_calls_by_tool';

function createFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), 'exporter-page-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { history: path.join(folder, 'history.db'), page: path.join(folder, 'history-page.gz') };
}

type Files = ReturnType<typeof createFolder>;

function start(files: Files, options: StoryOptions = {}): Promise<Story> {
  const flags = [`storage.path=${files.history}`, ...(options.flags ?? [])];
  return startStory({ ...options, flags });
}

/** Whether a page was published before the stored data was read. */
function wasShownFirst(story: Story): boolean {
  const log = story.log();
  const published = log.indexOf('msg=Published');
  return published >= 0 && published < log.indexOf(LOADED);
}

/** The page's text without the exporter's own metrics. */
async function figuresOf(story: Story): Promise<string> {
  const text = await (await story.get('/metrics')).text();
  return text.split('# HELP agent_platform_exporter_')[0] ?? '';
}

/** Lets the minute pass after which the page is kept. */
async function untilKept(story: Story, files: Files): Promise<void> {
  story.clock.advance(61_000);
  await waitFor(() => existsSync(files.page), { what: 'the page is kept', seen: story.log });
}

const DOWN = { sandbox: { faults: ['500'] } };

describe('the page that was published last', () => {
  test('is shown by the next process before it has read the stored data, and then made again to the byte', async () => {
    const files = createFolder();
    const limited = { flags: ['log.level=debug'], file: 'limits: {values_per_label: {tool: 2}}\n' };
    const first = await start(files, limited);
    const before = await first.page();
    const figures = await figuresOf(first);
    await first.stop();
    expect(existsSync(files.page)).toBe(true);
    // Started, but nothing was read or polled yet.
    const second = await start(files, { ...limited, ...DOWN, begins: NOON + HOUR, polled: false });
    const shown = await second.page();
    expect(shown.platform()).toEqual(before.platform());
    expect(shown.value(SUCCESS, { collector: 'tokens' })).toBe(
      before.value(SUCCESS, { collector: 'tokens' }),
    );
    expect(shown.value(FOLDED, { metric: TOOLS })).toBe(before.value(FOLDED, { metric: TOOLS }));
    expect(shown.value('agent_platform_exporter_history_persistent')).toBe(1);
    await waitFor(() => second.logged('Newer day published').length > 3, {
      what: 'the page is made again',
      seen: second.log,
    });
    expect(wasShownFirst(second)).toBe(true);
    expect(await figuresOf(second)).toBe(figures);
    expect(figures.length).toBeGreaterThan(20_000);
  });

  test('is served whole, by collector and by organization, and nothing is ready yet', async () => {
    const files = createFolder();
    const first = await start(files, { sandbox: { orgs: 2 } });
    const parts = ['/metrics?collect[]=tokens', '/probe?target=acme'];
    const textOf = async (story: Story, part: string) =>
      (await (await story.get(part)).text()).split('# HELP agent_platform_exporter_')[0];
    const before = await Promise.all(parts.map((part) => textOf(first, part)));
    await first.stop();
    const second = await start(files, {
      sandbox: { orgs: 2, faults: ['500'] },
      begins: NOON + HOUR,
      polled: false,
    });
    expect(await Promise.all(parts.map((part) => textOf(second, part)))).toEqual(before);
    expect(before.every((text) => (text?.length ?? 0) > 500)).toBe(true);
    expect((await second.get('/-/ready')).status).toBe(503);
    await waitFor(() => wasShownFirst(second), { what: 'the stored data is read', seen: second.log });
  });

  test('is kept while the service runs, once what is stored is published', async () => {
    const files = createFolder();
    const story = await start(files);
    await untilKept(story, files);
    rmSync(files.page);
    story.clock.advance(61_000);
    // Nothing has changed: it is not written again. The next poll stores when it succeeded.
    await story.poll();
    await untilKept(story, files);
  });

  test("ends the service if the history turns out to be another program's once it is shown", async () => {
    const files = createFolder();
    const first = await start(files);
    await first.stop();
    const story = await start(files, {
      begins: NOON + HOUR,
      polled: false,
      onCreated() {
        rmSync(files.history);
        const foreign = new DatabaseSync(files.history);
        foreign.exec('CREATE TABLE theirs (id INTEGER)');
        foreign.close();
      },
    });
    expect((await story.get('/metrics')).status).toBe(200);
    await story.service.failed;
    expect((await story.get('/-/ready')).status).toBe(503);
    expect(story.logged('level=error')).toHaveLength(1);
    expect(story.logged('level=error', 'The history cannot be used; the exporter ends')).toHaveLength(1);
  });

  const unlike: [string, StoryOptions, boolean][] = [
    ['settings', { file: `metrics: {exclude: [${TOOLS}]}\n` }, false],
    ['organizations', { only: ['acme'], sandbox: { orgs: 2, faults: ['500'] } }, true],
    ['collectors', { collectors: ['tokens'] }, false],
    ['an earlier clock', { begins: NOON - DAY }, true],
    ['a clock of the next day', { begins: NOON + 12 * HOUR }, true],
    ['a clock beyond the age of its data', { begins: NOON + 3 * HOUR, flags: ['metrics.max-age=2h'] }, false],
  ];
  test.each(unlike)('is neither shown nor kept with other %s', async (_what, options, hasTools) => {
    const files = createFolder();
    const orgs = options.sandbox?.orgs ?? 1;
    const first = await start(files, { sandbox: { orgs }, flags: options.flags ?? [] });
    await first.stop();
    expect(existsSync(files.page)).toBe(true);
    const second = await start(files, { ...DOWN, begins: NOON + HOUR, polled: false, ...options });
    expect(wasShownFirst(second)).toBe(false);
    expect(second.log()).toContain(LOADED);
    expect(existsSync(files.page)).toBe(false);
    expect((await figuresOf(second)).includes(`\n${TOOLS}{`)).toBe(hasTools);
  });

  const damages: [string, (files: Files) => void][] = [
    ['a file that is no page', ({ page }) => writeFileSync(page, 'no page')],
    [
      'a history that something else has written to',
      ({ history }) => {
        const db = new DatabaseSync(history);
        db.exec(`DELETE FROM day WHERE dataset = 'tools'`);
        db.close();
      },
    ],
    ['no history', ({ history }) => rmSync(history)],
  ];
  test.each(damages)('is not shown with %s', async (_what, damage) => {
    const files = createFolder();
    await (await start(files)).stop();
    damage(files);
    const second = await start(files, { ...DOWN, begins: NOON + HOUR, polled: false });
    expect(wasShownFirst(second)).toBe(false);
    expect((await figuresOf(second)).includes(`\n${TOOLS}{`)).toBe(_what.startsWith('a file'));
    expect(existsSync(files.page)).toBe(false);
  });

  test('is removed by a reload with other settings', async () => {
    const files = createFolder();
    const story = await start(files);
    await untilKept(story, files);
    await story.reload((config) => ({
      ...config,
      metrics: { ...config.metrics, excluded: new Set([TOOLS]) },
    }));
    expect(existsSync(files.page)).toBe(false);
    await story.stop();
    expect(existsSync(files.page)).toBe(true);
  });

  test('stays for the next start if this one ends before the data was read', async () => {
    const files = createFolder();
    await (await start(files)).stop();
    const short = await start(files, { ...DOWN, begins: NOON + HOUR, polled: false });
    await short.stop();
    const next = await start(files, { ...DOWN, begins: NOON + 2 * HOUR });
    expect(wasShownFirst(next)).toBe(true);
  });

  test('stays for the next start if this one is aborted because of its settings', async () => {
    const files = createFolder();
    await (await start(files)).stop();
    const environment = { HTTP_PROXY: 'no address' };
    await expect(start(files, { ...DOWN, begins: NOON + HOUR, polled: false, environment })).rejects.toThrow(
      'HTTP_PROXY',
    );
    expect(existsSync(files.page)).toBe(true);
  });

  test('is not kept in memory, nor for a history in memory', async () => {
    const story = await startStory();
    await story.stop();
    expect(story.log()).not.toContain('page cannot be kept');
  });
});
