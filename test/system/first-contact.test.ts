import { expect, test } from 'vitest';
import { readPage } from '../e2e/page.ts';
import { waitFor } from '../support/wait-for.ts';
import { startDemo } from './platform.ts';
import { createPrograms } from './programs.ts';

const programs = createPrograms();

test('demo shows platform data, says that they are simulated, and ends with Ctrl-C', async () => {
  const { program, url } = await startDemo(programs);
  await waitFor(async () => {
    const page = readPage(await (await fetch(`${url}/metrics`)).text());
    for (const org of ['acme', 'acme-copilot', 'acme-claude'])
      expect(page.value('agent_platform_daily_cost', { org })).toBeGreaterThan(0);
    expect(page.find('agent_platform_readiness_ratio').length).toBeGreaterThan(5);
  });
  expect(program.stdout()).toContain('simulated');
  expect(await (await fetch(url)).text()).toMatch(/simulated/i);
  program.send('SIGINT');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.stderr()).not.toMatch(/level=(error|warn)|Error:/);
});
