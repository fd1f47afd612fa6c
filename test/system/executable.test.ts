import { once } from 'node:events';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { hashSync } from 'bcryptjs';
import { beforeAll, describe, expect, test } from 'vitest';
import { readPage } from '../e2e/page.ts';
import { waitFor } from '../support/wait-for.ts';
import { buildExecutable } from './executable.ts';
import { REPOSITORY } from './image.ts';
import { expectAllKnown } from './platform.ts';
import { createPrograms, type Program, written } from './programs.ts';

const MIB = 2 ** 20;

describe('the single executable', () => {
  const programs = createPrograms();
  let file = '';
  const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
    version: string;
  };

  beforeAll(async () => {
    file = await buildExecutable(programs);
  });

  /** Runs it with neither Node.js nor this repository available. */
  function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}, input = '') {
    return programs.run(file, args, { environment: { PATH: '', ...environment }, input });
  }

  async function demo(
    ...flags: readonly string[]
  ): Promise<{ readonly program: Program; readonly url: string }> {
    const program = programs.start(file, ['demo', '--web.listen-address=127.0.0.1:0', ...flags], {
      environment: { PATH: '' },
    });
    return { program, url: await written(program, 'stdout', /status +(https?:\S+)\//) };
  }

  test('prints its version, and the licenses of everything in it', async () => {
    expect((await run(['--version'])).stdout).toBe(
      `agent-platform-exporter ${version} (node ${process.versions.node})\n`,
    );
    const { stdout } = await run(['--licenses']);
    expect(stdout).toContain('Apache License');
    expect(stdout).toContain(`Node.js ${process.versions.node}`);
    const lock = JSON.parse(readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly version: string }>>;
    };
    for (const [path, { dev, version: installed }] of Object.entries(lock.packages)) {
      if (path !== '' && dev !== true)
        expect(stdout).toContain(`\n${path.split('node_modules/').at(-1)} ${installed}\n`);
    }
  });

  test('has every command', async () => {
    const { stdout } = await run(['--help']);
    const commands = [...stdout.matchAll(/^ {2}([a-z][a-z-]+) {2,}/gm)].map(([, name = '']) => name);
    expect(commands).toEqual(expect.arrayContaining(['serve', 'backfill', 'hook-config', 'estimate']));
    for (const command of commands) {
      const { code, stdout, stderr } = await run([command, '--help']);
      expect([command, code, stderr]).toEqual([command, 0, '']);
      expect(stdout).toContain(`agent-platform-exporter ${command}`);
    }
  });

  test('serves the demo and stops on a signal, with nothing in the log but what the program logs', async () => {
    const { program, url } = await demo();
    // Opens Node's debugger otherwise, which says so in the log.
    program.send('SIGUSR1');
    await waitFor(async () => expect((await fetch(`${url}/-/ready`)).status).toBe(200));
    const page = await (await fetch(`${url}/metrics`)).text();
    expect(page).toContain(`agent_platform_exporter_build_info{version="${version}"`);
    program.send('SIGTERM');
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(
      program
        .stderr()
        .split('\n')
        .filter((line) => !/^(ts=|$)/.test(line)),
    ).toEqual([]);
  });

  test('compares passwords in its own thread', async () => {
    const web = join(programs.folder(), 'web.yml');
    await writeFile(web, `basic_auth_users:\n  prometheus: ${hashSync('correct', 4)}\n`);
    const { url } = await demo(`--web.config.file=${web}`);
    const status = async (password: string) =>
      (
        await fetch(`${url}/metrics`, {
          headers: { authorization: `Basic ${Buffer.from(`prometheus:${password}`).toString('base64')}` },
        })
      ).status;
    expect(await status('correct')).toBe(200);
    expect(await status('wrong')).toBe(401);
  });

  test('keeps its history in SQLite over a restart, backfills it, and reloads its configuration', async () => {
    const sandbox = programs.start(file, ['sandbox', '--listen-address=127.0.0.1:0', '--days=5']);
    const base = await written(sandbox, 'stdout', /listens on (http:\S+)/);
    const folder = programs.folder();
    const config = join(folder, 'config.yaml');
    const key = join(folder, 'key');
    await writeFile(key, 'sandbox-acme-owner');
    const document = (level: string) =>
      `orgs: [{name: acme, base_url: "${base}", api_key_file: ${key}}]\nlog: {level: ${level}}\nstorage: {path: ${join(folder, 'history.db')}}\n`;
    await writeFile(config, document('info'));
    const serve = () =>
      programs.start(file, ['serve', `--config.file=${config}`, '--web.listen-address=127.0.0.1:0']);
    const first = serve();
    const url = `http://127.0.0.1:${await written(first, 'stderr', /msg=Serving .*\bport=(\d+)/)}`;
    await waitFor(async () => expect((await fetch(`${url}/-/ready`)).status).toBe(200));
    await writeFile(config, document('debug'));
    first.send('SIGHUP');
    await waitFor(async () => {
      const page = readPage(await (await fetch(`${url}/metrics`)).text());
      expect(page.value('agent_platform_exporter_config_last_reload_successful')).toBe(1);
      expect(first.stderr()).toContain('level=debug');
    });
    first.send('SIGTERM');
    expect(await first.ended).toEqual({ code: 0, signal: null });
    const past = join(folder, 'past');
    const backfill = ['backfill', `--config.file=${config}`, `--output=${past}`];
    await expectAllKnown(programs.start(file, backfill, { environment: { PATH: '' } }));
    expect(readdirSync(past).filter((name) => name.endsWith('.om')).length).toBeGreaterThan(0);
    sandbox.send('SIGTERM');
    await sandbox.ended;

    const second = serve();
    const again = `http://127.0.0.1:${await written(second, 'stderr', /msg=Serving .*\bport=(\d+)/)}`;
    await waitFor(async () => {
      expect(await (await fetch(`${again}/metrics`)).text()).toMatch(/^agent_platform_daily_credits\{/m);
    });
    second.send('SIGTERM');
    await second.ended;
  });

  test("forwards an agent's events, with its settings read by one run and known to the next", async () => {
    const home = programs.folder();
    const taken: unknown[] = [];
    const exporter = createServer(async (request, response) => {
      const { events = [undefined] } = (await json(request)) as { readonly events?: readonly unknown[] };
      taken.push(...events);
      response.end(JSON.stringify({ accepted: events.length, duplicates: 0, rejected: 0 }));
    }).listen(0, '127.0.0.1');
    await once(exporter, 'listening');
    const url = `http://127.0.0.1:${(exporter.address() as AddressInfo).port}`;
    const settings = join(home, 'hooks.yaml');
    await writeFile(settings, `deadline: 20s\nforward: {url: "${url}", token_env: HOOK_TOKEN}\n`);
    const environment = { HOME: home, XDG_STATE_HOME: home, HOOK_TOKEN: 'token' };
    const input = JSON.stringify({ hook_event_name: 'PostToolUse', session_id: 's', tool_name: 'Read' });
    await waitFor(async () => {
      const ran = await run(['hook', `--config=${settings}`], environment, input);
      expect(ran).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
      expect(taken.length).toBeGreaterThan(1);
    });
    exporter.close();
    const kept = globSync('**/settings.json', { cwd: home });
    expect(readFileSync(join(home, kept[0] ?? ''), 'utf8')).toContain(url);
    expect(globSync('**/hook.log', { cwd: home })).toEqual([]);
  });

  test("is an agent's hook: quick, silent, with its own sound, and set up by its own path", async () => {
    const home = programs.folder();
    const bin = join(home, 'bin');
    await mkdir(bin);
    const played = join(home, 'played');
    await writeFile(join(bin, 'paplay'), `#!/bin/sh\nexec /bin/cp "$1" ${played}\n`);
    await chmod(join(bin, 'paplay'), 0o755);
    const settings = join(home, 'hooks.yaml');
    await writeFile(
      settings,
      'deadline: 20s\nchannels: {ping: {type: sound}}\nrules: [{channels: [ping]}]\n',
    );
    const environment = { HOME: home, PATH: bin, XDG_STATE_HOME: home, TMPDIR: home };
    const input = JSON.stringify({ hook_event_name: 'Notification', session_id: 's', message: 'waits' });
    const ran = await run(['hook', `--config=${settings}`], environment, input);
    expect(ran).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    expect(readFileSync(played).equals(readFileSync(join(REPOSITORY, 'assets/notification.wav')))).toBe(true);
    // The copy that was played is removed with the process.
    expect(readdirSync(home).filter((name) => name.startsWith('agent-platform-exporter-'))).toEqual([]);
    expect((await run(['hook-config'])).stdout).toContain(`${file} hook`);
  });

  test('is at most 20 MiB larger than Node.js', () => {
    expect(readFileSync(file).length).toBeLessThan(readFileSync(process.execPath).length + 20 * MIB);
  });
});
