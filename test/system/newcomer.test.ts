import { readFileSync } from 'node:fs';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { REPOSITORY } from './image.ts';
import { createPrograms, written } from './programs.ts';
import { networkEnvironment, requireTool } from './tools.ts';

/** What a machine's own work leaves in a checkout. */
const LEFT_BEHIND = /^(\.git|node_modules|build|dist|data|release)$/;

describe.runIf(requireTool('npm'))("the README's way to the command, from an empty home", () => {
  const programs = createPrograms();

  test('installs without a warning, and the command shows the demo', async () => {
    const line = /^npm ci && (npm install --global \.)$/m.exec(
      readFileSync(join(REPOSITORY, 'README.md'), 'utf8'),
    );
    expect(line).not.toBeNull();
    const checkout = programs.folder();
    for (const name of await readdir(REPOSITORY)) {
      if (LEFT_BEHIND.test(name)) continue;
      await cp(join(REPOSITORY, name), join(checkout, name), { recursive: true });
    }
    const home = programs.folder();
    // Where packages come from and where they were put before are the machine's; nothing else of its settings is.
    const setting = async (name: string) =>
      (await programs.run('npm', ['config', 'get', name])).stdout.trim();
    const environment = {
      ...networkEnvironment(),
      HOME: home,
      npm_config_registry: await setting('registry'),
      npm_config_cache: await setting('cache'),
      npm_config_prefer_offline: 'true',
      npm_config_update_notifier: 'false',
      npm_config_audit: 'false',
      npm_config_prefix: join(home, 'local'),
    };
    const installed = await programs.run('/bin/sh', ['-e', '-c', `cd "$0" && ${line?.[0]}`, checkout], {
      environment,
    });
    expect([installed.code, installed.stderr], installed.stdout).toEqual([0, '']);
    expect(installed.stdout).not.toMatch(/warn/i);

    const command = join(home, 'local/bin/agent-platform-exporter');
    const demo = programs.start(command, ['demo', '--web.listen-address=127.0.0.1:0']);
    const url = await written(demo, 'stdout', /status +(http:\S+)\//);
    await waitFor(async () => expect((await fetch(`${url}/-/ready`)).status).toBe(200));
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^agent_platform_daily_credits\{.*\} \d/m);
    demo.send('SIGTERM');
    expect(await demo.ended).toEqual({ code: 0, signal: null });
  });
});
