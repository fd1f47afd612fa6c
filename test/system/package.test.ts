import { globSync, readFileSync } from 'node:fs';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { waitFor } from '../support/wait-for.ts';
import { REPOSITORY } from './image.ts';
import { createPrograms, written } from './programs.ts';
import { networkEnvironment, requireTool } from './tools.ts';

const packed = z
  .array(z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }))
  .length(1);
const SOURCES = [
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'scripts/bundle',
  'alerts',
  'src',
  'bin',
  'assets',
  'dashboards',
  'docs',
  'packaging',
];
const PAGES = ['CHANGELOG.md', 'LICENSE', 'NOTICE', 'README.md', 'SECURITY.md'];

const RULES = ['agent-platform-exporter.rules.yaml', 'agent-platform-exporter.recording.rules.yaml'];
const PUBLISHED = [
  ...PAGES,
  'alerts',
  'assets',
  'bin',
  'dashboards',
  'dist',
  'docs',
  'package.json',
  'packaging',
];

describe.runIf(requireTool('npm'))('the npm package', () => {
  const programs = createPrograms();
  const description = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8'));
  let files: readonly string[] = [];
  let prefix = '';

  beforeAll(async () => {
    // In a copy, because packing builds, and the build output would take precedence over the sources afterwards.
    const folder = programs.folder();
    for (const path of [...SOURCES, ...PAGES]) {
      await cp(join(REPOSITORY, path), join(folder, path), { recursive: true });
    }
    await symlink(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
    const { code, stdout, stderr } = await programs.run('npm', [
      'pack',
      folder,
      '--json',
      '--pack-destination',
      folder,
    ]);
    if (code !== 0) throw new Error(stderr);
    const [result] = packed.parse(JSON.parse(stdout.slice(stdout.indexOf('[\n'))));
    files = result?.files.map(({ path }) => path) ?? [];
    prefix = programs.folder();
    const install = [
      'install',
      '--global',
      '--prefix',
      prefix,
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
    ];
    const installed = await programs.run('npm', [...install, join(folder, result?.filename ?? '')], {
      environment: networkEnvironment(),
    });
    if (installed.code !== 0) throw new Error(installed.stderr);
  });

  test('contains what runs and the documents, and nothing else', () => {
    const folders = new Set(files.map((path) => path.split('/')[0]));
    expect([...folders].sort()).toEqual(PUBLISHED.toSorted());
    expect(files).toContain('dist/main.js');
    expect(files).toEqual(expect.arrayContaining(RULES.map((name) => `alerts/${name}`)));
    expect(files.filter((path) => /\.(ts|db|env|pem|key)$|\.test\./.test(path))).toEqual([]);
  });

  test('contains no development dependencies', () => {
    const there = globSync(`lib/node_modules/${description.name}/node_modules/*`, { cwd: prefix });
    const names = there.map((path) => path.split('/').at(-1));
    expect(names).toContain('prom-client');
    expect(Object.keys(description.devDependencies).filter((name) => names.includes(name))).toEqual([]);
  });

  test('shows the demo without any other files', async () => {
    const bin = join(prefix, 'bin/agent-platform-exporter');
    const demo = programs.start(bin, ['demo', '--web.listen-address=127.0.0.1:0']);
    const url = await written(demo, 'stdout', /status +(http:\S+)\//);
    await waitFor(async () => expect((await fetch(`${url}/-/ready`)).status).toBe(200));
    const page = await (await fetch(`${url}/metrics`)).text();
    expect(page).toContain(`agent_platform_exporter_build_info{version="${description.version}"`);
    expect(page).toMatch(/^agent_platform_daily_credits\{org="acme"\} \d/m);
    demo.send('SIGTERM');
    expect(await demo.ended).toEqual({ code: 0, signal: null });
    expect(await programs.run(bin, ['hook-config'])).toMatchObject({ code: 0 });
    const version = await programs.run(bin, ['--version']);
    expect(version.stdout).toContain(description.version);
  });

  test('runs the hook command of an agent, which reads settings, notifies and logs', async () => {
    const folder = programs.folder();
    const settings = join(folder, 'hooks.yaml');
    const state = join(folder, 'state');
    const channel = '{type: slack, url_env: NOT_SET}';
    await writeFile(settings, `channels: {chat: ${channel}}\nrules: [{channels: [chat]}]\n`);
    const bin = join(prefix, 'bin/agent-platform-exporter');
    const args = ['hook', `--config=${settings}`, `--state-dir=${state}`];
    const input = '{"hook_event_name": "Stop", "session_id": "s"}';
    const ran = await programs.run(bin, args, { input });
    expect(ran).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    const log = await readFile(join(state, 'hook.log'), 'utf8');
    expect(log).toContain('msg="Notification failed" channel=chat type=slack problem="NOT_SET is not set"');
  });
});

describe.runIf(requireTool('systemd-analyze'))('the systemd unit', () => {
  const programs = createPrograms();
  const unit = join(REPOSITORY, 'packaging/agent-platform-exporter.service');

  test('is accepted by systemd', async () => {
    const file = join(programs.folder(), 'agent-platform-exporter.service');
    const text = await readFile(unit, 'utf8');
    await writeFile(
      file,
      text.replace('ExecStart=/usr/local/bin/agent-platform-exporter', 'ExecStart=/bin/sh'),
    );
    const { code, stdout, stderr } = await programs.run('systemd-analyze', ['verify', file]);
    expect([code, stdout, stderr]).toEqual([0, '', '']);
  });

  test('exposes little', async () => {
    const security = ['security', '--offline=true', '--threshold=20', '--no-pager', unit];
    const { code, stdout } = await programs.run('systemd-analyze', security);
    expect(stdout).toMatch(/Overall exposure level for agent-platform-exporter\.service: [01]\.\d OK/);
    expect(code).toBe(0);
  });

  test('gives the exporter valid options, and the key as a file', async () => {
    const key = join(programs.folder(), 'api-key');
    await writeFile(key, 'some-key\n', { mode: 0o600 });
    const lines =
      readFileSync(join(REPOSITORY, 'packaging/environment.example'), 'utf8').match(/^[A-Z_]+=.*$/gm) ?? [];
    const given = Object.fromEntries(lines.map((line) => line.split(/=(.*)/, 2)));
    const own = [...readFileSync(unit, 'utf8').matchAll(/^Environment=(\w+)=(.*)$/gm)];
    expect(own.map(([, name]) => name)).toEqual([
      'AGENT_PLATFORM_API_KEY_FILE',
      'NODE_OPTIONS',
      'GLIBC_TUNABLES',
      'AGENT_PLATFORM_STORAGE_PATH',
    ]);
    const environment = {
      ...given,
      ...Object.fromEntries(own.map(([, name = '', value = '']) => [name, value])),
      AGENT_PLATFORM_API_KEY_FILE: key,
      AGENT_PLATFORM_STORAGE_PATH: join(programs.folder(), 'history.db'),
    };
    const check = programs.exporter(['check-config'], environment);
    expect([await check.ended, check.stderr()]).toEqual([{ code: 0, signal: null }, '']);
  });
});

describe.runIf(requireTool('actionlint'))('the workflows', () => {
  const programs = createPrograms();

  test('have nothing that the linter reports', async () => {
    const files = globSync('.github/workflows/*.yml', { cwd: REPOSITORY }).map((file) =>
      join(REPOSITORY, file),
    );
    expect(files.length).toBeGreaterThan(1);
    const { code, stdout } = await programs.run('actionlint', ['-no-color', ...files]);
    expect([code, stdout]).toEqual([0, '']);
  });
});
