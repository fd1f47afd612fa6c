import { rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createDirectory, readBeside } from '../store/files.ts';
import { waitFor } from '../support/wait-for.ts';
import { DAY, HOUR, NOON, type Story, type StoryOptions, startStory } from './harness.ts';

const PERSISTENT = 'agent_platform_exporter_history_persistent';
const REVISIONS = 'agent_platform_exporter_day_revisions_total';

/** Starts a story on a file; the platform has the same figures in every story. */
function storyOn(file: string, options: StoryOptions = {}): Promise<Story> {
  return startStory({ ...options, flags: [`storage.path=${file}`, ...(options.flags ?? [])] });
}

/** The days for which the tokens were requested, oldest first. */
function askedDays({ platform }: Story): readonly string[] {
  const windows = platform.requests.filter(({ path: asked }) => asked.endsWith('/tokens'));
  return windows.map(({ query }) => query['startDate'] ?? '').toSorted();
}

describe('a restart', () => {
  test('serves everything with the first scrape, before any request', async () => {
    const file = path.join(createDirectory(), 'history.db');
    const first = await storyOn(file);
    const before = await first.page();
    await first.stop();
    const second = await storyOn(file, { begins: NOON + 1_000, polled: false, sandbox: { faults: ['500'] } });
    expect((await second.page()).platform()).toEqual(before.platform());
  });

  test('on the same day does not fetch the revision window again; days later it fetches all missed days', async () => {
    const file = path.join(createDirectory(), 'history.db');
    await (await storyOn(file)).stop();
    const sameDay = await storyOn(file, { begins: NOON + HOUR });
    expect(askedDays(sameDay)).toEqual(['2026-11-19']);
    await sameDay.stop();
    const later = await storyOn(file, { begins: NOON + 5 * DAY });
    // The last pass requested the 13th to the 19th; all of them but the first are due again.
    expect(askedDays(later)[0]).toBe('2026-11-14');
  });

  test('keeps only the newest days where a retention is given', async () => {
    const file = path.join(createDirectory(), 'history.db');
    const whole = await storyOn(file);
    const uncovered = 'agent_platform_history_uncovered';
    expect((await whole.page()).value(uncovered, { dataset: 'tokens' })).toBe(0);
    await whole.stop();
    const kept = await storyOn(file, { begins: NOON + DAY, flags: ['history.retention=10d'] });
    expect(askedDays(kept)[0]).toBe('2026-11-14');
    expect((await kept.page()).value(uncovered, { dataset: 'tokens' })).toBe(0);
    kept.clock.advance(60_000);
    await waitFor(async () => {
      const stored = await readBeside(file);
      expect([...(await stored.read('acme')).days('tokens').keys()].toSorted()[0]).toBe('2026-11-11');
    });
  });
});

test('a revised day is logged once, with its main number before and after', async () => {
  const story = await startStory();
  const before = (await story.page()).value('agent_platform_daily_credits');
  story.platform.reviseDay('2026-11-19');
  await story.poll();
  const page = await story.page();
  const after = page.value('agent_platform_daily_credits');
  expect(page.value(REVISIONS, { dataset: 'tokens' })).toBe(1);
  expect(
    story.logged('revised', 'dataset=tokens', `totals="2026-11-19: ${before} -> ${after}"`),
  ).toHaveLength(1);
});

describe('a file that cannot be used', () => {
  test('at the start is told by metrics, costs no request, and is used as soon as it can be', async () => {
    const directory = path.join(createDirectory(), 'data');
    writeFileSync(directory, 'in the way');
    const file = path.join(directory, 'history.db');
    const story = await storyOn(file, { polled: false });
    expect((await story.page()).value(PERSISTENT)).toBe(0);
    await story.poll();
    expect(askedDays(story)).toEqual([]);
    expect(story.logged('level=warn', 'The store cannot be used').length).toBeGreaterThan(0);
    const ready = await story.get('/-/ready');
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('- what is stored\n')]);
    expect(story.service.status()).toMatchObject({ storeUp: false, role: undefined });
    rmSync(directory);
    // It polls by itself then.
    await waitFor(async () =>
      expect((await story.page()).value('agent_platform_daily_credits')).toBeGreaterThan(0),
    );
    expect((await story.page()).value(PERSISTENT)).toBe(1);
    expect((await story.get('/-/ready')).status).toBe(200);
    await story.poll();
    expect(statSync(file).size).toBeGreaterThan(0);
    const before = await story.page();
    await story.stop();
    const again = await storyOn(file, { polled: false, sandbox: { faults: ['500'] } });
    expect((await again.page()).platform()).toEqual(before.platform());
  });
});

test('a file that another exporter owns ends the start after half a minute', async () => {
  const file = path.join(createDirectory(), 'history.db');
  const first = await storyOn(file);
  const refused = storyOn(file, { polled: false });
  await expect(refused).rejects.toThrow(`storage.path: ${file} belongs to another exporter: process `);
  await first.stop();
  const second = await storyOn(file, { polled: false, sandbox: { faults: ['500'] } });
  expect((await second.page()).value(PERSISTENT)).toBe(1);
});

test('without a file there is nothing to report about it', async () => {
  expect((await (await startStory()).page()).value(PERSISTENT)).toBeUndefined();
});
