import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { lstat, readdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../bench/programs.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Builder, createBuilder, firstProcess, REPOSITORY, runContained } from './image.ts';
import { createPrograms, written } from './programs.ts';
import { requireRoot, requireTool } from './tools.ts';

const IMAGE = 'localhost/exporter:test';
const MIB = 2 ** 20;

const inspected = z.object({
  Docker: z.object({
    config: z.object({
      User: z.string(),
      Env: z.array(z.string()),
      Entrypoint: z.array(z.string()),
      Cmd: z.array(z.string()),
      Labels: z.record(z.string(), z.string()),
      Volumes: z.record(z.string(), z.unknown()),
      ExposedPorts: z.record(z.string(), z.unknown()),
      Healthcheck: z.object({ Test: z.array(z.string()) }),
      StopSignal: z.string(),
    }),
  }),
});
type ImageConfig = z.infer<typeof inspected>['Docker']['config'];

describe.runIf(requireTool('buildah') && requireRoot())('the image', () => {
  const programs = createPrograms();
  let builder: Builder | undefined;
  let root = '';
  let config: ImageConfig;
  let environment: Readonly<Record<string, string>> = {};
  let command: readonly string[] = [];

  beforeAll(async () => {
    builder = await createBuilder(programs);
    await builder.build(IMAGE, { VERSION: '9.8.7', REVISION: 'abc1234' });
    root = await builder.filesOf(IMAGE);
    config = inspected.parse(JSON.parse(await builder.buildah(['inspect', '--type', 'image', IMAGE]))).Docker
      .config;
    environment = Object.fromEntries(config.Env.map((entry) => entry.split(/=(.*)/s, 2)));
    command = config.Entrypoint;
  });
  afterAll(() => builder?.close());

  test('runs as an unprivileged user, keeps its state in one volume and checks its own health', () => {
    expect(config.User).toBe('65532:65532');
    expect(Object.keys(config.Volumes)).toEqual(['/var/lib/agent-platform-exporter']);
    expect(Object.keys(config.ExposedPorts)).toEqual(['9889/tcp']);
    expect(config.Healthcheck.Test).toEqual(['CMD', ...config.Entrypoint, 'healthcheck']);
    expect([config.Cmd, config.StopSignal]).toEqual([['serve'], 'SIGTERM']);
  });

  test('has its version and revision as labels', () => {
    expect(config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'Agent Platform Exporter',
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.version': '9.8.7',
      'org.opencontainers.image.revision': 'abc1234',
    });
  });

  test('contains only what is needed to run', async () => {
    expect((await readdir(join(root, 'app'))).sort()).toEqual([
      'LICENSE',
      'NOTICE',
      'bin',
      'dist',
      'node_modules',
      'package.json',
    ]);
    const lock = z
      .object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) })
      .parse(JSON.parse(readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8')));
    const productive = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true);
    const there = globSync('node_modules/**/package.json', { cwd: join(root, 'app') });
    const allowed = new Set(productive.map(([path]) => path));
    const packages = there.map((file) => file.slice(0, -'/package.json'.length));
    expect(
      packages.filter((path) => /(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && !allowed.has(path)),
    ).toEqual([]);
    expect(packages).not.toContain('node_modules/node');
    // Nothing in it is specific to one architecture.
    expect(globSync('**/*.{node,exe,so,dylib}', { cwd: join(root, 'app') })).toEqual([]);
    expect(
      globSync('**/{*.db,.env*,*.pem,.git,test}', { cwd: join(root, 'app'), exclude: ['node_modules/**'] }),
    ).toEqual([]);
  });

  test('has access to nothing in its build context but what it is built from', async () => {
    const file = join(programs.folder(), 'Dockerfile');
    await writeFile(file, 'FROM scratch\nCOPY . /\n');
    await builder?.buildah(['bud', '--file', file, '--tag', 'localhost/context:test', REPOSITORY]);
    const context = (await builder?.filesOf('localhost/context:test')) ?? '';
    const sources = [
      'LICENSE',
      'NOTICE',
      'bin',
      'package-lock.json',
      'package.json',
      'scripts',
      'src',
      'tsconfig.build.json',
      'tsconfig.json',
    ];
    expect((await readdir(context)).sort()).toEqual(sources);
  });

  test('adds less than 40 MiB to its base and Node.js', async () => {
    let size = 0;
    for (const file of globSync('**', { cwd: join(root, 'app') })) {
      const status = await lstat(join(root, 'app', file));
      if (status.isFile()) size += status.size;
    }
    expect(size).toBeLessThan(40 * MIB);
  });

  test('serves from a read-only tree, is healthy by its own check, and ends within 5 s of SIGTERM', async () => {
    const listen = { AGENT_PLATFORM_WEB_LISTEN_ADDRESS: `127.0.0.1:${await freePort()}` };
    const contained = { ...environment, ...listen };
    const program = runContained(programs, root, [...command, 'demo'], contained);
    const url = await written(program, 'stdout', /status +(http:\S+)\//);
    await waitFor(async () => expect((await fetch(`${url}/-/ready`)).status).toBe(200));
    const page = await (await fetch(`${url}/metrics`)).text();
    expect(page).toMatch(/^agent_platform_exporter_build_info\{version="9\.8\.7",revision="abc1234",/m);

    const pid = await firstProcess(program);
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(/^Uid:\t(.*)$/m.exec(status)?.[1]).toBe('65532\t65532\t65532\t65532');
    expect(/^NSpid:.*\t(\d+)$/m.exec(status)?.[1]).toBe('1');
    expect(/^CapEff:\t(.*)$/m.exec(status)?.[1]).toBe('0000000000000000');

    const check = runContained(programs, root, config.Healthcheck.Test.slice(1), contained);
    expect([await check.ended, check.stdout()]).toEqual([{ code: 0, signal: null }, 'healthy\n']);

    process.kill(pid, 'SIGTERM');
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(program.stderr()).not.toMatch(/EROFS|EACCES|level=error/);
  });

  test('keeps the history in its volume', async () => {
    const platform = programs.exporter(['sandbox', '--listen-address=127.0.0.1:0', '--days=3']);
    const base = await written(platform, 'stdout', /listens on (http:\S+)/);
    const program = runContained(programs, root, [...command, ...config.Cmd], {
      ...environment,
      AGENT_PLATFORM_API_BASE_URL: base,
      AGENT_PLATFORM_API_KEY: 'sandbox-acme-owner',
      AGENT_PLATFORM_WEB_LISTEN_ADDRESS: '127.0.0.1:0',
    });
    await written(program, 'stderr', /msg=(Serving) /);
    const pid = await firstProcess(program);
    // The volume is mounted where only the container sees it.
    expect(await readdir(`/proc/${pid}/root/var/lib/agent-platform-exporter`)).toContain('history.db');
    process.kill(pid, 'SIGTERM');
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(program.stderr()).not.toMatch(/persist.*false|EROFS|level=(warn|error)/);
  });

  test('stops on a signal even if the command waits for something else', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const asked = once(silent, 'connection');
    const check = [...command, 'healthcheck', `--url=http://127.0.0.1:${port}`];
    const program = runContained(programs, root, check, environment);
    await asked;
    const pid = await firstProcess(program);
    process.kill(pid, 'SIGTERM');
    expect(await program.ended).toMatchObject({ code: 143 });
    silent.close();
  });
});
