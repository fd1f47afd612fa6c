import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import { runHere } from './here.ts';
import { createNoonClock, settledPage, startProgram } from './program.ts';

const DAYS = 100;
/** The same last month for every command of a test, and for the program whose store they read. */
const clock = createNoonClock();
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: clock.now() }));
afterEach(() => void vi.useRealTimers());

/** A team that is too small to be shown on any day, of whose members three have left. */
const BUDGETED = ['ada.0', 'ben.1', 'left.1', 'left.2', 'left.3']
  .map((member) => `${member}@acme.example: small\n`)
  .join('')
  .concat('"c*": payments\n"d*": payments\ncredits_per_month: {small: 1000000}\n');

type Rows = readonly Readonly<Record<string, string>>[];

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'month-close-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

/** Runs `export` of an organization whose configuration has prices and teams. */
async function exporting(
  {
    path,
    name,
    url,
    key,
    price,
    teams = '"a*": platform\n"b*": platform\n"c*": payments\n"d*": payments\n',
  }: Readonly<Record<'path' | 'name' | 'url' | 'key', string>> & { price: number; teams?: string },
  flags: readonly string[],
) {
  const first = new Date(Date.now() - DAYS * 86_400_000).toISOString().slice(0, 10);
  await writeFile(join(path, 'teams.yaml'), teams);
  await writeFile(
    join(path, 'exporter.yml'),
    [
      `orgs: [{name: ${name}, base_url: "${url}", api_key_env: KEY,`,
      `  prices: [{from: 2020-01-01, currency: EUR, per_million_credits: ${price}}]}]`,
      'collectors: {users: {enabled: true}}',
      'teams: {file: teams.yaml}',
      `history: {start: ${first}}`,
      'api: {requests_per_second: 1000}',
    ].join('\n'),
  );
  const command = ['export', `--config.file=${join(path, 'exporter.yml')}`, '--month=last', ...flags];
  return runHere(command, { KEY: key });
}

const rowsOf = (text: string): Rows => parse(text, { bom: true, columns: true });
const sumOf = (rows: Rows, column: string) => rows.reduce((sum, row) => sum + Number(row[column]), 0);

describe("a FinOps person's month close", () => {
  test.each([
    ['without a budget', undefined],
    ['with a budget, whole', BUDGETED],
  ])(
    "the costs of teams %s add up to the organization's cost to the cent, in the summary and in FOCUS",
    async (_, teams) => {
      const platform = createSandbox({ now: Date.now, users: 40, repos: 3, days: DAYS });
      const { url } = await platform.listen({ host: '127.0.0.1', port: 0 });
      onTestFinished(() => platform.close());
      const path = await folder();
      const name = platform.orgs[0]?.name ?? '';
      const org = {
        path,
        name,
        url,
        key: platform.orgs[0]?.keys.owner ?? '',
        price: 2.7,
        ...(teams && { teams }),
      };
      const run = async (...flags: readonly string[]) => {
        const file = join(path, 'october.csv');
        const ran = await exporting(org, ['--storage.path=:memory:', `--output=${file}`, ...flags]);
        expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: '' });
        return rowsOf(await readFile(file, 'utf8'));
      };

      // Those that know of money and teams, as for FOCUS.
      const collectors = ['tokens', 'spend', 'users'].map((collector) => `--collector=${collector}`);
      const summary = await run('--by=month', ...collectors);
      expect(summary.length).toBeLessThan(100);
      const [total] = summary;
      expect(total?.['month']).toMatch(/^\d{4}-\d{2}$/);
      expect(Number(total?.['cost'])).toBeGreaterThan(1);
      const cost = Number(total?.['cost']).toFixed(2);
      const ofTeams = summary.filter((row) => (row['cost_by_team'] ?? '') !== '');
      expect(ofTeams.map(({ team }) => team)).toContain('unassigned');
      expect(sumOf(ofTeams, 'cost_by_team').toFixed(2)).toBe(cost);
      const months = ofTeams.filter(({ team_cost_month_to_date: month = '' }) => month !== '');
      if (teams !== undefined) expect(months.map(({ team }) => team)).toContain('small');
      for (const { cost_by_team: all, team_cost_month_to_date: month, team } of months)
        if (team === 'small' || teams === undefined) expect(Number(all), team).toBeCloseTo(Number(month), 6);

      const byTeam = await run('--format=focus', '--by=team');
      const tagged = byTeam.map(({ Tags = '{}' }): unknown => JSON.parse(Tags).team);
      expect(new Set(tagged)).toEqual(new Set(ofTeams.map(({ team }) => team)));
      expect(sumOf(byTeam, 'EffectiveCost').toFixed(2)).toBe(cost);
      expect(sumOf(await run('--format=focus'), 'EffectiveCost').toFixed(2)).toBe(cost);
    },
  );

  test('a closed month stays as it is, and corrections list what a new price changes', async () => {
    const path = await folder();
    const storage = `--storage.path=${join(path, 'history.db')}`;
    const flagsOfServe = [storage, '--no-collector.readiness', '--no-collector.wiki'];
    const program = await startProgram(flagsOfServe, undefined, { ...clock, now: Date.now });
    await settledPage(program, ['tokens', 'tools', 'activity', 'productivity']);
    const org = { path, name: 'default', url: 'http://127.0.0.1:1', key: 'not-a-key' };
    const flags = [storage, '--format=focus'];

    const closed = await exporting({ ...org, price: 2 }, flags);
    expect(closed, closed.stderr).toMatchObject({ code: 0 });
    expect((await exporting({ ...org, price: 2 }, flags)).stdout).toBe(closed.stdout);
    const file = join(path, 'closed.csv');
    await writeFile(file, closed.stdout);
    const compared = [...flags, `--corrections=${file}`];
    const same = await exporting({ ...org, price: 2 }, compared);
    expect(same.stderr).toMatch(/^0 corrections of /);

    const { stdout, code } = await exporting({ ...org, price: 3 }, compared);
    expect(code).toBe(0);
    const corrections = rowsOf(stdout);
    expect(corrections).toHaveLength(rowsOf(closed.stdout).length);
    expect(new Set(corrections.map(({ figure }) => figure))).toEqual(new Set(['EffectiveCost']));
    expect(sumOf(corrections, 'difference')).toBeCloseTo(
      sumOf(rowsOf(closed.stdout), 'EffectiveCost') / 2,
      6,
    );
    // People were never stored for the whole month.
    const teams = await exporting({ ...org, price: 2 }, [...flags, '--by=team', `--output=${file}.teams`]);
    expect(teams).toMatchObject({ code: 1, stdout: '' });
    expect(teams.stderr).toContain('nothing is written');
    expect(teams.stderr).toContain('unknown: default/users on');
  });

  test('organizations with different billing months have a file each, which spreadsheets read as UTF-8', async () => {
    const platform = createSandbox({ now: Date.now, users: 8, repos: 1, days: DAYS, orgs: 2 });
    const { url } = await platform.listen({ host: '127.0.0.1', port: 0 });
    onTestFinished(() => platform.close());
    const path = await folder();
    const first = new Date(Date.now() - DAYS * 86_400_000).toISOString().slice(0, 10);
    const orgs = platform.orgs.map(({ name }, index) =>
      JSON.stringify({
        ...{ name, base_url: url, api_key_env: `KEY${index}`, billing: { period_starts: index * 8 + 1 } },
        prices: [{ from: '2020-01-01', currency: 'EUR', per_million_credits: index }],
      }),
    );
    await writeFile(
      join(path, 'exporter.yml'),
      `orgs: [${orgs.join()}]\nhistory: {start: ${first}}\napi: {requests_per_second: 1000}\n`,
    );
    const keys = Object.fromEntries(platform.orgs.map(({ keys }, index) => [`KEY${index}`, keys.owner]));
    const command = (...flags: readonly string[]) =>
      runHere(
        [
          ...[
            'export',
            `--config.file=${join(path, 'exporter.yml')}`,
            '--storage.path=:memory:',
            '--month=last',
          ],
          ...['--by=month', '--delimiter=semicolon', '--collector=tokens', '--collector=spend', ...flags],
        ],
        keys,
      );
    const refused = await command();
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain('write a file for each with --split');
    const output = `--output=${join(path, 'month.csv')}`;
    const ran = await command('--split', output);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    const files = await Promise.all(
      platform.orgs.map(({ name }) => readFile(join(path, `month-${name}.csv`), 'utf8')),
    );
    const days = files.map((text) => {
      expect(text.startsWith('\ufeffmonth;organization;')).toBe(true);
      const [row] = parse(text, { bom: true, columns: true, delimiter: ';' }) as Rows;
      return row;
    });
    expect(days.map((row) => row?.['period_start']?.slice(8))).toEqual(['01', '09']);
    expect(days.map((row) => row?.['period_end']?.slice(8))).toEqual([
      expect.stringMatching(/3[01]|2[89]/),
      '08',
    ]);
    // A price of 0 is a price.
    expect(days.map((row) => row?.['cost'])).toEqual(['0', expect.stringMatching(/^\d+,\d+$/)]);
    const closed = join(path, 'closed.csv');
    for (const [index, { name }] of platform.orgs.entries()) {
      await writeFile(join(path, `closed-${name}.csv`), files[index] ?? '');
    }
    const same = await command('--split', output, `--corrections=${closed}`);
    expect(same, same.stderr).toMatchObject({ code: 0 });
    expect(same.stderr.match(/^0 corrections of /gm)).toHaveLength(2);
  });
});
