import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createClaudeSandbox } from '../../src/sandbox/index.ts';
import { dollars, exactCents, KEYS, type Kind, liftPace, spanOf, startClaudeStory } from './claude-story.ts';
import { DAY } from './harness.ts';
import { runHere } from './here.ts';

const collectors = ['activity', 'productivity', 'spend', 'tokens', 'tools'];
const USD = { currency: 'USD' };

afterEach(() => void vi.useRealTimers());

test.each<Kind>(['console', 'enterprise'])(
  'of the kind %s, days are kept over the end of the process, and a month that is over is that of the API',
  async (kind) => {
    const folder = await mkdtemp(join(tmpdir(), 'claude-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'history.db');
    const flags = [`storage.path=${path}`, 'history.start=2026-10-01'];
    const common = { kind, collectors, flags };
    const first = await startClaudeStory({ ...common, begins: Date.UTC(2026, 10, 29, 12) });
    await first.stop();

    const second = await startClaudeStory({ ...common, begins: Date.UTC(2026, 10, 30, 12) });
    const days = second.asked
      .filter(({ pathname }) => pathname.endsWith('/cost'))
      .map(({ searchParams }) => searchParams.get('starting_at')?.slice(0, 10));
    // The days that may still be revised, and no older one.
    expect(days.toSorted()[0]).toBe('2026-10-30');
    second.clock.advance(DAY);
    expect(await second.poll()).toEqual([]);
    const november = await second.rows('analytics/cost', spanOf('model', '2026-11-01', '2026-11-30'));
    const page = await second.page();
    expect(page.value('agent_platform_cost_month_to_date', USD)).toBe(
      dollars(exactCents(november, 'cost.amount')),
    );
    expect(second.logged('level=warn')).toEqual([]);
    await second.stop();

    // A month later, all of October is final.
    const october = await second.rows('analytics/cost', spanOf('model', '2026-10-01', '2026-10-31'));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 11, 1, 13) });
    const sandbox = createClaudeSandbox({ now: Date.now, users: 12, pace: 'unlimited' });
    const { url } = await sandbox.listen({ host: '127.0.0.1', port: 0 });
    onTestFinished(() => sandbox.close());
    const file = join(folder, 'c.yml');
    await writeFile(
      file,
      [
        `orgs: [{name: anna, platform: claude, kind: ${kind}, base_url: "${url}", api_key_env: KEY}]`,
        'history: {start: 2026-10-01}',
        `storage: {path: "${path}"}`,
      ].join('\n'),
    );
    liftPace();
    const { code, stdout } = await runHere(
      [
        'export',
        `--config.file=${file}`,
        '--api.requests-per-second=1000',
        '--from=2026-10-01',
        '--to=2026-10-31',
      ],
      { KEY: KEYS[kind] },
    );
    const rows: readonly Record<string, string>[] = parse(stdout, { bom: true, columns: true });
    const sum = (name: string) => rows.reduce((all, row) => all + Number(row[name] ?? 0), 0);
    expect([code, new Set(rows.map(({ day }) => day)).size]).toEqual([0, 31]);
    expect(sum('daily_cost')).toBeCloseTo(dollars(exactCents(october, 'cost.amount')), 8);
    expect(sum('daily_list_cost')).toBeCloseTo(dollars(exactCents(october, 'cost.list_amount')), 8);
  },
);
