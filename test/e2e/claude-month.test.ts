import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createClaudeSandbox } from '../../src/sandbox/index.ts';
import { liftPace, startChanging } from './claude-story.ts';
import { runHere } from './here.ts';

const noonOf = (day: string) => Date.parse(`${day}T12:00:00Z`);
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: noonOf('2026-12-08') }));
afterEach(() => void vi.useRealTimers());

type Rows = readonly Readonly<Record<string, string>>[];
const rowsOf = (text: string): Rows => parse(text, { bom: true, columns: true });

test('a month of Claude closes while its money may still change, and corrections list what has moved', async () => {
  const platform = createClaudeSandbox({ now: Date.now, users: 12, pace: 'unlimited' });
  const { url } = await platform.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => platform.close());
  const folder = await mkdtemp(join(tmpdir(), 'claude-month-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [config, closed] = ['c.yml', 'november.csv'].map((name) => join(folder, name)) as [string, string];
  await writeFile(
    config,
    `orgs: [{name: anna, platform: claude, base_url: "${url}", api_key_env: KEY}]\nhistory: {start: 2026-11-01}\n`,
  );
  liftPace();
  const run = async (...flags: readonly string[]) => {
    const what = [
      '--api.requests-per-second=1000',
      '--collector=tokens',
      '--collector=spend',
      '--storage.path=:memory:',
      ...flags,
    ];
    const ran = await runHere(['export', `--config.file=${config}`, '--month=2026-11', ...what], {
      KEY: platform.orgs[0]?.keys['admin'] ?? '',
    });
    expect(ran.code, ran.stderr).toBe(0);
    return ran;
  };

  const { stderr } = await run(`--output=${closed}`);
  const days = rowsOf(await readFile(closed, 'utf8'));
  expect(stderr).toContain(
    `provisional: ${days.filter(({ provisional }) => provisional === 'true').length} rows`,
  );
  expect(stderr).toContain(' of anna, which its platform may revise until 2026-12-31\n');
  const firsts = days.map(({ day = '', provisional, platform: name }) => [day, provisional, name].join());
  expect(firsts).toContain('2026-11-07,false,claude');
  expect(firsts).toContain('2026-11-08,true,claude');

  // This day is 29 days old.
  vi.setSystemTime(noonOf('2026-12-10'));
  platform.reviseDay('2026-11-11');
  const { stdout } = await run(`--corrections=${closed}`);
  const moved = rowsOf(stdout);
  expect(moved.map(({ figure }) => figure)).toContain('daily_cost');
  expect(moved.find(({ figure }) => figure === 'daily_cost')).toMatchObject({
    day: '2026-11-11',
    organization: 'anna',
  });
});

test('a month closes also if nobody has used Claude Code since before its end, and its last days are zeros', async () => {
  const platform = createClaudeSandbox({ now: Date.now, users: 12, pace: 'unlimited' });
  const { url: face } = await platform.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => platform.close());
  const url = await startChanging(face, (answer, { pathname, searchParams }) => {
    const isLate = (searchParams.get('starting_at') ?? '') >= '2026-11-24';
    if (isLate && pathname.endsWith('/claude_code')) answer.body['data'] = [];
  });
  const folder = await mkdtemp(join(tmpdir(), 'claude-month-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const config = join(folder, 'c.yml');
  await writeFile(
    config,
    `orgs: [{name: anna, platform: claude, base_url: "${url}", api_key_env: KEY}]\nhistory: {start: 2026-11-01}\n`,
  );
  liftPace();
  const what = ['--collector=productivity', '--collector=tokens', '--storage.path=:memory:'];
  const { code, stdout, stderr } = await runHere(
    ['export', `--config.file=${config}`, '--month=2026-11', '--api.requests-per-second=1000', ...what],
    { KEY: platform.orgs[0]?.keys['admin'] ?? '' },
  );
  expect([code, stderr.match(/^(?:unknown|may still change).*/gm)]).toEqual([0, null]);
  const commits = rowsOf(stdout).filter(({ daily_git_commits: count }) => count !== '');
  expect(commits.at(-1)).toMatchObject({ day: '2026-11-30', daily_git_commits: '0' });
});
