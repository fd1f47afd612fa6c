import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { createNoonClock, pageAfterRuns, settledPage, startProgram } from '../e2e/program.ts';
import { waitFor } from '../support/wait-for.ts';

const LOW_PRIORITY = 10;
const BUSY = 2;
const COLLECTORS = ['tokens', 'tools', 'activity', 'productivity', 'readiness', 'wiki', 'users'];
const FLAGS = ['--collector.users', '--web.enable-lifecycle', '--history.start=2026-10-01'];

/** A process that uses all available CPU time; stopped after the test. */
function busyLoop(): () => void {
  const loop = spawn(process.execPath, ['--eval', 'for (;;) {}'], { stdio: 'ignore' });
  onTestFinished(() => void loop.kill('SIGKILL'));
  return () => void loop.kill('SIGKILL');
}

test('a CPU-starved exporter still answers, and publishes nothing wrong', async () => {
  // A day that ends meanwhile has other figures.
  const program = await startProgram(FLAGS, undefined, createNoonClock());
  const { pid } = program.process;
  if (pid === undefined) throw new Error('the program did not start');
  setPriority(pid, LOW_PRIORITY);
  const loops = Array.from({ length: BUSY }, busyLoop);

  const starved = await pageAfterRuns(program, COLLECTORS);
  expect((await program.get('/-/healthy')).status).toBe(200);
  const failing = starved
    .find('agent_platform_exporter_collector_failing')
    .filter(({ value }) => value !== '0');
  expect(failing.map(({ labels }) => Object.fromEntries(labels))).toEqual([]);
  expect(program.log()).not.toMatch(/level=(warn|error)|stepped_seconds/);
  // The days of people are on the page later than those of others.
  const figures = (await settledPage(program, COLLECTORS)).platform();

  for (const end of loops) end();
  await program.get('/-/refresh', { method: 'POST' });
  const later = await waitFor(async () => {
    const page = await program.page();
    const ran = page.by('collector', 'agent_platform_exporter_collector_last_run_timestamp_seconds');
    const before = starved.by('collector', 'agent_platform_exporter_collector_last_run_timestamp_seconds');
    return COLLECTORS.every((name) => (ran[name] ?? 0) > (before[name] ?? 0)) && page;
  });
  expect(later.platform()).toEqual(expect.arrayContaining([...figures]));
  expect(later.by('dataset', 'agent_platform_exporter_day_revisions_total')).toEqual(
    Object.fromEntries(['tokens', 'tools', 'activity', 'productivity', 'users'].map((name) => [name, 0])),
  );
});
