import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../src/catalog/day.ts';
import { KEY, newestSettledDay, startDemo, startPlatform } from './platform.ts';
import { createPrograms, written } from './programs.ts';
import { requireTool } from './tools.ts';

/** Loads a file with Python's csv module into SQLite, and prints sums. */
const LOAD = `
import csv, json, sqlite3, sys
db = sqlite3.connect(':memory:')
db.execute('CREATE TABLE usage (day TEXT, organization TEXT, metric TEXT, labels TEXT, value REAL, unit TEXT, provisional TEXT, platform TEXT)')
with open(sys.argv[1], newline='', encoding='utf-8') as file:
    rows = csv.reader(file)
    next(rows)
    db.executemany('INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?)', rows)
print(json.dumps(db.execute("""
    SELECT day, json_extract(labels, '$.model'), sum(value) FROM usage
    WHERE metric = 'agent_platform_daily_credits_by_model' GROUP BY 1, 2 ORDER BY 1, 2""").fetchall()))
`;

interface Row {
  readonly day: string;
  readonly metric: string;
  readonly labels: { readonly model?: string };
  readonly value: number;
}

describe.runIf(requireTool('python3'))('an export', () => {
  const programs = createPrograms();

  test("is read by Python's csv module and SQLite as the program wrote it, to a file and to a pipe", async () => {
    const platform = await startPlatform(programs, ['--days=40']);
    const folder = programs.folder();
    const environment = {
      AGENT_PLATFORM_API_BASE_URL: platform.url,
      AGENT_PLATFORM_API_KEY: KEY,
      AGENT_PLATFORM_API_REQUESTS_PER_SECOND: '200',
      AGENT_PLATFORM_STORAGE_PATH: join(folder, 'history.db'),
    };
    const to = await newestSettledDay(platform.url);
    const from = addDays(to, -15);
    const file = join(folder, 'usage.csv');
    const csv = programs.exporter(
      [
        ...['export', '--org=acme', '--collector=tokens', `--from=${from}`, `--to=${to}`, `--output=${file}`],
        '--layout=tidy',
        '--metrics.exclude=agent_platform_daily_tokens*',
      ],
      environment,
    );
    expect(await csv.ended, csv.stderr()).toEqual({ code: 0, signal: null });
    expect(csv.stdout()).toBe('');
    expect(await readFile(file, 'utf8')).not.toContain('agent_platform_daily_tokens');
    const json = programs.exporter(
      ['export', '--org=acme', '--collector=tokens', `--from=${from}`, `--to=${to}`, '--format=jsonl'],
      environment,
    );
    expect(await json.ended, json.stderr()).toEqual({ code: 0, signal: null });

    expect(json.stdout()).toContain('agent_platform_daily_tokens');
    const rows = json
      .stdout()
      .trim()
      .split('\n')
      .map((line): Row => JSON.parse(line))
      .filter(({ metric }) => metric === 'agent_platform_daily_credits_by_model');
    const sums = new Map<string, number>();
    for (const { day, labels, value } of rows) {
      const key = JSON.stringify([day, labels.model]);
      sums.set(key, (sums.get(key) ?? 0) + value);
    }
    const { code, stdout, stderr } = await programs.run('python3', ['-c', LOAD, file]);
    expect(code, stderr).toBe(0);
    const loaded = (JSON.parse(stdout) as [string, string, number][]).map(([day, model, sum]) => [
      JSON.stringify([day, model]),
      sum,
    ]);
    expect(loaded.length).toBeGreaterThan(20);
    expect(new Map(loaded as [string, number][])).toEqual(sums);
  });
});

describe('the demo', () => {
  const programs = createPrograms();

  test('prints a command that writes its days as CSV', async () => {
    const { program } = await startDemo(programs);
    const line = await written(
      program,
      'stdout',
      /^ +(AGENT_PLATFORM_API_BASE_URL=.* export .*usage\.csv)$/m,
    );
    const file = join(programs.folder(), 'usage.csv');
    const to = await newestSettledDay(/BASE_URL=(\S+)/.exec(line)?.[1] ?? '');
    const command = line
      .replace('usage.csv', file)
      .replace(' export ', ` export --collector=tokens --to=${to} `);
    const { code, stderr } = await programs.run('/bin/sh', [
      '-c',
      `AGENT_PLATFORM_API_REQUESTS_PER_SECOND=200 ${command}`,
    ]);
    expect(code, stderr).toBe(0);
    expect(await readFile(file, 'utf8')).toMatch(/^\uFEFFday,organization,model,.*,daily_credits,/);
  });
});
