import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { run } from '../../src/commands/report.ts';
import { reportOptions } from '../../src/config/command-options.ts';
import { createEmptyShardContext, createPastContext, startPlatform } from './surroundings.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 18, 12) }));
afterEach(() => void vi.useRealTimers());

async function report(args: readonly string[], ...faults: readonly string[]) {
  const { platform, url } = await startPlatform();
  platform.setFaults(faults);
  const { context, stdout, stderr } = await createPastContext(reportOptions, args, url);
  const code = await run(context);
  return { code, text: stdout(), said: stderr() };
}

test('the last week that is over is reported', async () => {
  const { code, text } = await report([]);
  expect(code).toBe(0);
  expect(text).toMatch(/^# acme: week of 2026-11-09 to 2026-11-15\n/);
  expect(text).toMatch(/\| Credits \| [\d,]+ \| [\d,]+ \| [+-]?\d+ % \|/);
  expect(text).toContain('## Why credits a day changed');
});

test('without its last day, a week is not reported: the one before is, standard error says so, and the exit code is 1', async () => {
  vi.setSystemTime(Date.UTC(2026, 10, 16, 1));
  const { code, text, said } = await report([], 'late=2');
  expect(code).toBe(1);
  expect(text).toMatch(/^# acme: week of 2026-11-02 to 2026-11-08\n/);
  expect(text).not.toContain('unknown');
  expect(said).toContain(
    'acme: the week of 2026-11-09 to 2026-11-15 is not reported: 2026-11-15 is not known yet',
  );
});

test('where it is Monday already, the report says that the week ends at midnight in UTC', async () => {
  vi.setSystemTime(Date.UTC(2026, 10, 22, 23));
  const { code, text, said } = await report([]);
  expect(code).toBe(0);
  expect(text).toMatch(/^# acme: week of 2026-11-09 to 2026-11-15\n/);
  expect(said).toContain('the week of 2026-11-16 to 2026-11-22 ends at 00:00 UTC\n');
});

test('a chat without tables gets text of fixed width', async () => {
  const { text } = await report(['--format=slack']);
  expect(text).toMatch(/^\*acme: week of 2026-11-09 to 2026-11-15\*\n/);
  expect(text).toMatch(/\n\*Figures\*\n\n```\n +this week +before +change\nCredits +[\d,]+/);
  expect(text).not.toMatch(/^\|/m);
});

test('a month is written to a file', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'report-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'october.html');
  const { code, text } = await report([
    '--period=month',
    '--day=2026-10-15',
    '--format=html',
    `--output=${file}`,
  ]);
  expect([code, text]).toEqual([0, '']);
  expect(readFileSync(file, 'utf8')).toContain('acme: month of 2026-10-01 to 2026-10-31');
});

test('a period before the start of the history is unknown, and the exit code is 1', async () => {
  const { code, text } = await report(['--day=2026-08-01']);
  expect(code).toBe(1);
  expect(text).toMatch(/^# acme: week of 2026-07-27 to 2026-08-02\n\nNo day of it is over and known\.\n/);
});

test('a day that is not over is refused', async () => {
  await expect(report(['--day=2026-11-18'])).rejects.toThrow(
    '--day: 2026-11-18 is not over yet; the newest complete day is 2026-11-17',
  );
});

test('a file that cannot be written is named', async () => {
  const file = path.join(tmpdir(), 'no-such-folder', 'october.html');
  await expect(report([`--output=${file}`])).rejects.toThrow(`--output: cannot write ${file}: ENOENT`);
});

test('a shard without an organization says so', async () => {
  const { context } = createEmptyShardContext(reportOptions);
  await expect(run(context)).rejects.toThrow('this shard has no organization');
});
