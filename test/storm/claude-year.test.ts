import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { type Day, daysFrom } from '../../src/catalog/day.ts';
import {
  dollars,
  exactCents,
  KEYS,
  type Kind,
  REPORTS,
  spanOf,
  startClaudeStory,
  total,
} from '../e2e/claude-story.ts';
import { DAY, HOUR, NOON } from '../e2e/harness.ts';
import { runHere } from '../e2e/here.ts';

afterEach(() => void vi.useRealTimers());

test.each<Kind>(['console', 'enterprise'])(
  'of the kind %s, a year that is kept over the end of the process is that of the API',
  async (kind) => {
    const folder = await mkdtemp(join(tmpdir(), 'claude-year-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'history.db');
    const story = await startClaudeStory({
      kind,
      collectors: ['activity', 'productivity', 'spend', 'tokens', 'tools'],
      flags: [`storage.path=${path}`, 'history.start=2025-06-01'],
    });
    const revised = '2026-10-25';
    const before = await story.rows('analytics/cost', spanOf('model', revised));
    story.sandbox.reviseDay(revised);
    expect(await story.rows('analytics/cost', spanOf('model', revised))).not.toEqual(before);
    story.clock.advance(DAY);
    expect(await story.poll()).toEqual([]);
    expect(story.logged('level=(warn|error)')).toEqual([]);
    await story.stop();

    vi.useFakeTimers({ toFake: ['Date'], now: NOON + DAY + HOUR });
    const file = join(folder, 'c.yml');
    await writeFile(
      file,
      [
        `orgs: [{name: anna, platform: claude, kind: ${kind}, base_url: "${story.face}", api_key_env: KEY}]`,
        'history: {start: 2025-06-01}',
        `storage: {path: "${path}"}`,
      ].join('\n'),
    );
    const { code, stdout, stderr } = await runHere(
      ['export', `--config.file=${file}`, '--from=2026-01-01', '--to=2026-10-31'],
      { KEY: KEYS[kind] },
    );
    expect(code, stderr).toBe(0);
    const rows: readonly Readonly<Record<string, string>>[] = parse(stdout, { bom: true, columns: true });

    for (const month of ['2026-01', '2026-06', '2026-10']) {
      const [first, last] = [`${month}-01`, `${month}-${month === '2026-06' ? 30 : 31}`];
      const bill = await story.rows('analytics/cost', spanOf('model', first, last));
      const sum = (name: string) =>
        rows
          .filter(({ day }) => day?.startsWith(month))
          .reduce((all, row) => all + Number(row[name] ?? 0), 0);
      expect(sum('daily_cost')).toBeCloseTo(dollars(exactCents(bill, 'cost.amount')), 6);
      expect(sum('daily_list_cost')).toBeCloseTo(dollars(exactCents(bill, 'cost.list_amount')), 6);
    }
    for (const day of daysFrom('2026-01-01' as Day, '2026-10-31' as Day)) {
      // Its money alone is asked for again after so long.
      if (day === revised) continue;
      const report = REPORTS[kind];
      const said = await report.of(story, day);
      const given = (name: string) =>
        rows.filter((row) => row['day'] === day && row[name] !== '').map((row) => Number(row[name]));
      const expected = {
        daily_sessions: total(said, report.sessions),
        daily_git_commits: total(said, report.commits),
        daily_git_pull_requests_created: total(said, report.pullRequests),
      };
      for (const [name, value] of Object.entries(expected))
        expect([day, name, given(name)]).toEqual([day, name, [value]]);
    }
  },
);
