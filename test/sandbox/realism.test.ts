import { describe, expect, test } from 'vitest';
import { plantedSecrets } from '../../src/sandbox/index.ts';
import { createAsked, type Json, rowsOf, sum } from './asking.ts';

const asked = createAsked();
const year = ['2026-01-14', '2026-11-19'] as const;

function isWeekend(date: unknown): boolean {
  return [0, 6].includes(new Date(String(date)).getUTCDay());
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;
}

function average(rows: readonly Json[], field: string): number {
  return sum(rows, field) / rows.length;
}

describe('the usage of a year', () => {
  test('is low on weekends and grows', async () => {
    const rows = await asked.rows('activity', ...year);
    const weekdays = rows.filter((row) => !isWeekend(row['date']));
    const weekends = rows.filter((row) => isWeekend(row['date']));
    expect(average(weekends, 'messages')).toBeLessThan(average(weekdays, 'messages') / 4);
    const early = weekdays.slice(0, 20);
    expect(average(weekdays.slice(-20), 'messages')).toBeGreaterThan(2 * average(early, 'messages'));
  });

  test('spikes about every five weeks, on days that do not depend on the clock', async () => {
    const rows = (await asked.rows('tokens', ...year)).filter((row) => !isWeekend(row['date']));
    const spikes = rows.filter((row, index) => {
      const around = rows
        .slice(Math.max(0, index - 10), index + 10)
        .map((one) => Number(one['billable_tokens']));
      return Number(row['billable_tokens']) > 2.5 * median(around);
    });
    expect(spikes.length).toBeGreaterThanOrEqual(6);
    expect(spikes.length).toBeLessThanOrEqual(10);
    expect(spikes.map((row) => row['date'])).toContain('2026-11-18');
  });

  test('has days of zeros and days without a row', async () => {
    const rows = await asked.rows('tokens', ...year);
    expect(rows.filter((row) => row['billable_tokens'] === 0).length).toBeGreaterThan(3);
    expect(rows.length).toBeLessThan(307);
    const dates = new Set(rows.map((row) => row['date']));
    for (const endpoint of ['tools', 'activity', 'productivity']) {
      expect(new Set((await asked.rows(endpoint, ...year)).map((row) => row['date']))).toEqual(dates);
    }
  });

  test('moves from model to model', async () => {
    const share = async (model: string, from: string, to: string): Promise<number> => {
      const rows = await asked.rows('tokens', from, to, { group_by: 'model' });
      const ofModel = rows.filter((row) => row['group_key'] === model);
      return sum(ofModel, 'input_tokens') / sum(rows, 'input_tokens');
    };
    expect(await share('claude-opus-4-8', '2026-01-14', '2026-02-14')).toBe(0);
    expect(await share('claude-opus-4-8', '2026-10-14', '2026-11-14')).toBeGreaterThan(0.15);
    expect(await share('claude-sonnet-4-6', '2026-10-14', '2026-11-14')).toBeLessThan(
      await share('claude-sonnet-4-6', '2026-01-14', '2026-02-14'),
    );
    expect(await share('custom:acme-coder-32b-0', '2026-08-14', '2026-11-14')).toBeGreaterThan(0);
  });
});

describe('the documented data quality problems', () => {
  test('MCP servers differ by letter case, and their tools have full names', async () => {
    const [row = {}] = await asked.rows('tools', '2026-11-19', '2026-11-19');
    const servers = rowsOf(row, 'mcp_by_server').map((one) => one['server']);
    expect(servers).toEqual(expect.arrayContaining(['github', 'GitHub']));
    expect(rowsOf(row, 'by_tool').map((one) => one['tool'])).toContain('mcp__github__search');
  });

  test('some tool names are parsing artifacts, but few', async () => {
    const rows = await asked.rows('tools', ...year);
    const names = rows.flatMap((row) => rowsOf(row, 'by_tool').map((one) => String(one['tool'])));
    const artifacts = names.filter((name) => !/^[\w-]{1,128}$/.test(name));
    expect(artifacts.length).toBeGreaterThan(2);
    expect(artifacts.length / names.length).toBeLessThan(0.005);
  });

  test('hook commands are raw command lines with secrets in them', async () => {
    const [row = {}] = await asked.rows('tools', '2026-11-19', '2026-11-19');
    const commands = rowsOf(row, 'hooks_by_event')
      .map((one) => one['command'])
      .join('\n');
    expect(commands).toContain(plantedSecrets.hookToken);
    expect(commands).toContain(plantedSecrets.hookPassword);
  });

  test('some people have no e-mail address, and some have a row of zeros', async () => {
    const rows = await createAsked({ users: 300 }).rows('users', '2026-11-16', '2026-11-19', {
      limit: 100,
    });
    expect(rows.some((row) => row['user_email'] === null)).toBe(true);
    expect(rows.some((row) => row['messages'] === 0 && row['tool_calls'] === 0)).toBe(true);
  });
});

describe('readiness reports', () => {
  test('evaluate 60 to 84 criteria, a set that grows with the client version', async () => {
    const reports = await asked.reports();
    const counts = reports.map((report) => Object.keys(report['report'] as Json).length);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(60);
    expect(Math.max(...counts)).toBeLessThanOrEqual(84);
    expect(counts.at(0)).toBeGreaterThan(counts.at(-1) ?? 84);
    expect(new Set(reports.map((report) => report['droidVersion'])).size).toBeGreaterThan(10);
  });

  test('have numerators between 0 and the denominator, null for some skipped criteria', async () => {
    const criteria = (await asked.reports()).flatMap((report) =>
      Object.values(report['report'] as Record<string, Json>),
    );
    for (const { numerator, denominator, rationale } of criteria) {
      expect(Number(denominator)).toBeGreaterThanOrEqual(1);
      expect(Number(numerator ?? 0)).toBeLessThanOrEqual(Number(denominator));
      expect(rationale).toMatch(/\w/);
    }
    const skipped = criteria.filter((one) => one['numerator'] === null).length / criteria.length;
    expect(skipped).toBeGreaterThan(0.02);
    expect(skipped).toBeLessThan(0.12);
    expect(criteria.some((one) => Number(one['denominator']) > 1)).toBe(true);
  });

  test('come under several spellings of one address, some with credentials, and from side branches', async () => {
    const reports = await asked.reports();
    const urls = reports.map((report) => String(report['repoUrl']));
    expect(urls.some((url) => url.includes(`:${plantedSecrets.repositoryToken}@`))).toBe(true);
    expect(urls).toEqual(
      expect.arrayContaining(['git@github.com:acme/web.git', 'https://github.com/acme/web.git']),
    );
    const branches = new Set(reports.map((report) => String(report['branch'])));
    expect([...branches]).toEqual(expect.arrayContaining(['main', 'master', 'trunk']));
    expect([...branches].some((branch) => branch.startsWith('feature/'))).toBe(true);
    expect(reports.some((report) => report['hasLocalChanges'] === true)).toBe(true);
    expect(reports.some((report) => !('modelUsed' in report))).toBe(true);
  });

  test('some repository is always clearly worse than its report before', async () => {
    const moving = createAsked();
    for (let day = 0; day < 60; day += 3) {
      moving.clock.now = Date.UTC(2026, 8, 1 + day, (day * 7) % 24);
      const drops: number[] = [];
      for (const repoId of ['acme/web', 'acme/api']) {
        const [last, before] = (await moving.reports({ repoId, limit: 2 })).map(score);
        drops.push((before ?? 0) - (last ?? 0));
      }
      expect(Math.max(...drops)).toBeGreaterThan(0.03);
    }
  });
});

function score(report: Json): number {
  const evaluated = Object.values(report['report'] as Record<string, Json>).filter(
    (one) => one['numerator'] !== null,
  );
  const ratios = evaluated.map((one) => Number(one['numerator']) / Number(one['denominator']));
  return ratios.reduce((total, ratio) => total + ratio, 0) / ratios.length;
}
