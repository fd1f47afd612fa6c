import { readdirSync, readFileSync } from 'node:fs';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildExecutable } from './executable.ts';
import { REPOSITORY } from './image.ts';
import { startNpmRegistry } from './npm-registry.ts';
import { createPrograms } from './programs.ts';
import { startRegistry } from './registry.ts';
import { networkEnvironment, requireTool } from './tools.ts';

const PARTS = [
  ...['package.json', 'package-lock.json', 'project.json', 'tsconfig.json', 'tsconfig.build.json', '.npmrc'],
  ...['LICENSE', 'NOTICE', 'README.md', 'SECURITY.md', 'CHANGELOG.md', 'src', 'bin', 'assets', 'docs'],
  ...['packaging', 'dashboards', 'helm', 'scripts', 'alerts'],
];

const hasTools = ['npm', 'helm', 'gpg', 'nfpm'].map(requireTool).every(Boolean);

describe.runIf(hasTools)('a release made here', () => {
  const programs = createPrograms();
  const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
    version: string;
  };
  let checkout = '';
  let output = '';
  let npm = '';

  async function script(name: string, args: readonly string[], folder = 'release') {
    const file = join(checkout, 'scripts', folder, `${name}.ts`);
    const command = `cd "$0" && exec "$@"`;
    return programs.run('/bin/sh', ['-c', command, checkout, process.execPath, file, ...args], {
      environment: { ...networkEnvironment(), no_proxy: '127.0.0.1', npm_config_registry: npm },
    });
  }

  beforeAll(async () => {
    // In a copy, because packing builds and a release changes project.json and the changelog.
    npm = (await startNpmRegistry()).url;
    checkout = programs.folder();
    output = join(checkout, 'release');
    for (const part of PARTS) await cp(join(REPOSITORY, part), join(checkout, part), { recursive: true });
    await symlink(join(REPOSITORY, 'node_modules'), join(checkout, 'node_modules'));
  });

  test('is refused while the addresses are placeholders or the changelog has no section', async () => {
    const { code, stderr } = await script('prepare', [`--tag=v${version}`]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'nothing is released: project.json: repository, image, charts, contact are still',
    );
    expect(stderr).toContain(`nothing is released: CHANGELOG.md has no section "## [${version}] - DATE"`);
  });

  test('is decided by a tag once they are there', async () => {
    const project = readFileSync(join(checkout, 'project.json'), 'utf8').replaceAll(
      'example.com',
      'acme.dev',
    );
    await writeFile(join(checkout, 'project.json'), project);
    const changelog = readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8');
    const section = `## [Unreleased]\n\n## [${version}] - 2026-11-22\n`;
    await writeFile(join(checkout, 'CHANGELOG.md'), changelog.replace('## [Unreleased]\n', section));
    const { code, stdout, stderr } = await script('prepare', [`--tag=v${version}`, `--output=${output}`]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^image=registry\.acme\.dev\//m);
    expect(stdout).toMatch(/^tags=0\.1\.0 0\.1 0\ndist_tag=latest\ncandidate=false\nlatest=true$/m);
    expect(readFileSync(join(output, 'notes.md'), 'utf8')).toMatch(/^### Added\n/);
  });

  test('has a working executable, package and chart, a bill of materials and valid checksums', async () => {
    const executable = join(output, `agent-platform-exporter-${version}-linux-${process.arch}`);
    await cp(await buildExecutable(programs), executable);
    const packages = programs.folder();
    const packaged = await script('build', [`--binary=${executable}`, `--output=${packages}`], 'packages');
    expect(packaged.code, packaged.stderr).toBe(0);
    const installable = readdirSync(packages).filter((name) => /\.(deb|rpm)$/.test(name));
    expect(installable).toHaveLength(2);
    for (const name of installable) await cp(join(packages, name), join(output, name));
    const assembled = await script('assemble', [`--output=${output}`]);
    expect(assembled.code, assembled.stderr).toBe(0);
    expect(readdirSync(output).toSorted()).toEqual(
      [
        'SHA256SUMS',
        ...installable,
        `agent-platform-exporter-${version}-linux-${process.arch}`,
        `agent-platform-exporter-${version}.tgz`,
        `agent-platform-exporter-agent-platform-exporter-${version}.tgz`,
        'notes.md',
        'sbom.cdx.json',
      ].toSorted(),
    );
    const checked = await programs.run('/bin/sh', [
      '-c',
      `cd ${output} && sha256sum --check --strict SHA256SUMS`,
    ]);
    expect([checked.code, checked.stdout.match(/: OK$/gm)?.length]).toEqual([0, 6]);
    const smoke = await script('smoke', [`--version=${version}`, '--', executable]);
    expect([smoke.code, smoke.stdout], smoke.stderr).toEqual([
      0,
      `${executable}: works, version ${version}\n`,
    ]);
    const bill = readFileSync(join(output, 'sbom.cdx.json'), 'utf8');
    const { stdout: own } = await programs.run(executable, ['--version']);
    expect(bill).toContain(`"pkg:generic/node@${/\(node (.*)\)/.exec(own)?.[1]}"`);
    const wrong = await script('smoke', ['--version=9.9.9', '--', executable]);
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toContain('it is not version 9.9.9');
  });

  test.runIf(requireTool('registry'))(
    'has a chart that can be pushed to a registry and pulled again',
    async () => {
      const folder = programs.folder();
      const address = await startRegistry(programs);
      const environment = { HOME: folder };
      const chart = join(output, `agent-platform-exporter-${version}.tgz`);
      const push = ['push', chart, `oci://${address}/charts`, '--plain-http'];
      const pushed = await programs.run('helm', push, { environment });
      expect(pushed.code, pushed.stderr).toBe(0);
      const reference = `oci://${address}/charts/agent-platform-exporter`;
      const pull = ['pull', reference, `--version=${version}`, '--plain-http', `--destination=${folder}`];
      const pulled = await programs.run('helm', pull, { environment });
      expect(pulled.code, pulled.stderr).toBe(0);
      expect(
        readFileSync(join(folder, `agent-platform-exporter-${version}.tgz`)).equals(readFileSync(chart)),
      ).toBe(true);
    },
  );

  test('has a chart whose signature can be verified offline, and fails if it was changed', async () => {
    const home = programs.folder();
    const environment = { GNUPGHOME: home, HOME: home };
    const gpg = (args: readonly string[]) => programs.run('gpg', ['--batch', ...args], { environment });
    const user = 'release@acme.dev';
    const made = await gpg(['--passphrase', '', '--quick-generate-key', user, 'rsa2048', 'sign', '1d']);
    expect(made.code, made.stderr).toBe(0);
    const [secret, open] = [join(home, 'secring.gpg'), join(home, 'pubring.gpg')];
    await gpg(['--output', secret, '--export-secret-keys', user]);
    await gpg(['--output', open, '--export', user]);
    const signing = ['--sign', '--key', user, '--keyring', secret, '--destination', home];
    const signed = await programs.run('helm', ['package', join(checkout, 'helm'), ...signing]);
    expect(signed.code, signed.stderr).toBe(0);
    const chart = join(home, `agent-platform-exporter-${version}.tgz`);
    expect((await programs.run('helm', ['verify', chart, '--keyring', open])).code).toBe(0);
    await writeFile(chart, Buffer.concat([readFileSync(chart), Buffer.from([0])]));
    expect((await programs.run('helm', ['verify', chart, '--keyring', open])).code).not.toBe(0);
    await gpg(['--quiet', '--kill', 'all']);
    await programs.run('gpgconf', ['--kill', 'all'], { environment });
  });
});
