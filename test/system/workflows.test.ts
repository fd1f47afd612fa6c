import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { checksumLines } from '../../scripts/release/plan.ts';
import { REPOSITORY } from './image.ts';
import { type NpmRegistry, startNpmRegistry } from './npm-registry.ts';
import { createPrograms } from './programs.ts';
import { startRegistry } from './registry.ts';
import { requireTool } from './tools.ts';
import { runJob } from './workflow-job.ts';

const LEFT_BEHIND = /^(\.git|node_modules|build|dist|data|release)$/;
const FORGE = 'https://github.com/acme/exporter';
const PACKAGE = '@acme/exporter';
const INDEX = 'application/vnd.oci.image.index.v1+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

const hasTools = ['git', 'npm', 'helm', 'skopeo', 'registry', 'openssl'].map(requireTool).every(Boolean);

describe.runIf(hasTools)('the workflows of the forge', () => {
  const programs = createPrograms();
  let origin = '';

  async function git(...args: readonly string[]): Promise<void> {
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@acme.dev', '-c', 'protocol.file.allow=always'];
    const { code, stderr } = await programs.run('git', [...who, ...args]);
    expect(code, stderr).toBe(0);
  }

  /** What the forge checks out: one commit without a history. */
  async function checkOut(ref: string): Promise<string> {
    const folder = join(programs.folder(), 'checkout');
    await git('clone', '--quiet', '--depth=1', `--branch=${ref}`, `file://${origin}`, folder);
    return folder;
  }

  async function commit(subject: string): Promise<void> {
    await git('-C', origin, 'add', '--all');
    await git('-C', origin, 'commit', '--quiet', '--allow-empty', '-m', subject);
  }

  beforeAll(async () => {
    origin = programs.folder();
    for (const name of await readdir(REPOSITORY))
      if (!LEFT_BEHIND.test(name)) await cp(join(REPOSITORY, name), join(origin, name), { recursive: true });
    await git('init', '--quiet', '--initial-branch=main', origin);
    await commit('app: begin');
  });

  describe('on a pull request', () => {
    let checkout = '';

    beforeAll(async () => {
      await git('-C', origin, 'checkout', '--quiet', '-b', 'fork');
      await commit('A subject of somebody else');
      await git('-C', origin, 'checkout', '--quiet', '-b', 'pull', 'main');
      await git('-C', origin, 'merge', '--quiet', '--no-ff', '-m', 'Merge 1234567 into 89abcde', 'fork');
      checkout = await checkOut('pull');
      await symlink(join(REPOSITORY, 'node_modules'), join(checkout, 'node_modules'));
    });

    test('pass in the merge of the forge, without history and without secrets', async () => {
      // The others need no git, and .ci/run runs them, too.
      const only = ({ run = '' }) => run.includes('generate');
      const place = { folder: checkout, only };
      expect(await runJob(programs, 'ci.yml', 'quick', place)).toEqual({ outputs: {}, failure: undefined });
    });

    test('run the tests on each Node.js without another one in the way', async () => {
      const [bin, log] = [programs.folder(), join(programs.folder(), 'log')];
      await writeFile(join(bin, 'npm'), `#!/bin/sh\necho "npm $*" >>"${log}"\n`);
      await chmod(join(bin, 'npm'), 0o755);
      const environment = { PATH: `${bin}:${process.env['PATH']}` };
      const { failure } = await runJob(programs, 'ci.yml', 'node', { folder: checkout, environment });
      expect(failure).toBeUndefined();
      expect(await readFile(log, 'utf8')).toBe('npm ci --ignore-scripts\nnpm test\n');
    });

    test.each(['checks', 'storms'])(
      'run everything of .ci/run in %s, which counts each step',
      async (job) => {
        // In place of what it runs: tests that pass, and programs that are there.
        const bin = programs.folder();
        const report = '{"numTotalTests":1,"numPassedTests":1,"numFailedTests":0,"testResults":[]}';
        const npm = `[ "$1" = exec ] && { shift 2; exec "$@"; }\nfor word; do case $word in --outputFile.json=*) echo '${report}' >"\${word#*=}" ;; esac; done`;
        for (const [name, script] of Object.entries({ npm, go: ':', 'apt-get': ':', renice: ':' })) {
          await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
          await chmod(join(bin, name), 0o755);
        }
        const environment = { PATH: `${bin}:${process.env['PATH']}` };
        expect(await runJob(programs, 'ci.yml', job, { folder: checkout, environment })).toEqual({
          outputs: {},
          failure: undefined,
        });
      },
    );
  });

  describe('on a tag', () => {
    let npm: NpmRegistry;
    let registry = '';
    let log = '';
    let environment: Readonly<Record<string, string>> = {};

    beforeAll(async () => {
      registry = await startRegistry(programs);
      log = join(programs.folder(), 'log');
      npm = await startNpmRegistry((version, tag) => appendFileSync(log, `npm has ${version} as ${tag}\n`));
      const bin = programs.folder();
      const real = (name: string, flag: string) => `PATH=\${PATH#*:} exec ${name} "$@" ${flag}`;
      const standIns = {
        cosign: '',
        gh: '[ "$2" != view ]',
        helm: real('helm', '--plain-http'),
        skopeo: real('skopeo', ''),
      };
      for (const [name, script] of Object.entries(standIns)) {
        await writeFile(join(bin, name), `#!/bin/sh\necho "${name} $*" >>"${log}"\n${script}\n`);
        await chmod(join(bin, name), 0o755);
      }
      const settings = programs.folder();
      await mkdir(join(settings, '.config/containers'), { recursive: true });
      const host = new URL(npm.url).host;
      await writeFile(
        join(settings, 'npmrc'),
        `registry=${npm.url}\n//${host}/:_authToken=x\nfetch-retries=0\n`,
      );
      await writeFile(
        join(settings, '.config/containers/registries.conf'),
        `[[registry]]\nlocation = "${registry}"\ninsecure = true\n`,
      );
      environment = {
        PATH: `${bin}:${process.env['PATH']}`,
        HOME: settings,
        npm_config_userconfig: join(settings, 'npmrc'),
        npm_config_update_notifier: 'false',
      };
    });

    /** Tags a version, and runs the jobs of its release that need nothing of another machine; `publish` does the last again. */
    async function release(version: string, forge = FORGE) {
      const { folder, decided } = await decide(version, forge);
      if (decided.failure !== undefined) return { failure: decided.failure };
      const digest = await assemble(folder, version);
      const notes = await readFile(join(folder, 'release/notes.md'));
      const outputs = Object.entries(decided.outputs);
      const context = {
        ...Object.fromEntries(outputs.map(([name, value]) => [`needs.decide.outputs.${name}`, value])),
        ...{ 'needs.assemble.outputs.digest': digest, 'secrets.GITHUB_TOKEN': 't' },
      };
      const publish = async () => {
        await writeFile(join(folder, 'release/notes.md'), notes);
        return (await runJob(programs, 'release.yml', 'publish', { folder, context, environment })).failure;
      };
      return { failure: await publish(), publish };
    }

    async function decide(version: string, forge: string) {
      await git('-C', origin, 'checkout', '--quiet', 'main');
      const edit = async (name: string, change: (text: string) => string) =>
        writeFile(join(origin, name), change(await readFile(join(origin, name), 'utf8')));
      const settings = { repository: FORGE, package: PACKAGE, author: 'ACME', contact: 'oss@acme.dev' };
      const images = { image: `${registry}/acme/exporter`, charts: `${registry}/acme/charts` };
      await edit('project.json', () => JSON.stringify({ ...settings, ...images }));
      await edit('package.json', (text) => text.replace(/"version": ".*"/, `"version": "${version}"`));
      await edit('CHANGELOG.md', (text) => `${text}\n## [${version}] - 2026-11-22\n\n- This.\n`);
      await commit(`release: ${version}`);
      await git('-C', origin, 'tag', `v${version}`);
      const folder = await checkOut(`v${version}`);
      const [server, ...name] = forge.split(/(?<=\w)\//);
      const context = {
        'github.ref_name': `v${version}`,
        'github.server_url': server ?? '',
        'github.repository': name.join('/'),
      };
      return {
        folder,
        decided: await runJob(programs, 'release.yml', 'decide', { folder, context, environment }),
      };
    }

    /** Files of the kinds that are published, smaller than those of a release. */
    async function assemble(folder: string, version: string) {
      const output = join(folder, 'release');
      const made = programs.folder();
      const chart = ['apiVersion: v2', 'name: agent-platform-exporter', `version: ${version}`].join('\n');
      await writeFile(join(made, 'package.json'), JSON.stringify({ name: PACKAGE, version }));
      await writeFile(join(made, 'Chart.yaml'), chart);
      for (const command of [
        ['npm', 'pack', made, '--pack-destination', output],
        ['helm', 'package', made, '-d', output],
      ]) {
        const [program = '', ...args] = command;
        const { code, stderr } = await programs.run(program, args);
        expect(code, stderr).toBe(0);
      }
      const files = (await readdir(output)).filter((name) => name !== 'notes.md');
      const sums = files.map((name) => [name, sha256(readFileSync(join(output, name)))] as const);
      await writeFile(join(output, 'SHA256SUMS'), checksumLines(new Map(sums)));
      for (const architecture of ['amd64', 'arm64'])
        await writeImage(join(folder, 'images', `image-${architecture}`), architecture, version);
      const only = ({ id }: { id?: string }) => id === 'image';
      const { outputs, failure } = await runJob(programs, 'release.yml', 'assemble', {
        folder,
        environment,
        only,
      });
      expect(failure).toBeUndefined();
      return outputs['digest'] ?? '';
    }

    /** The digests of the image by tag. */
    async function imageTags(): Promise<Readonly<Record<string, string | null>>> {
      const api = `http://${registry}/v2/acme/exporter`;
      const list = (await (await fetch(`${api}/tags/list`)).json()) as { readonly tags?: readonly string[] };
      const found = (list.tags ?? []).map(async (tag) => {
        const { headers } = await fetch(`${api}/manifests/${tag}`, { headers: { accept: INDEX } });
        return [tag, headers.get('docker-content-digest')] as const;
      });
      return Object.fromEntries(await Promise.all(found));
    }

    test('refuse a fork, which has the tags too', async () => {
      const { failure } = await release('0.9.0', 'https://github.com/someone/exporter');
      expect(failure).toContain('nothing is released: this is https://github.com/someone/exporter, but');
      expect(await readFile(log, 'utf8').catch(() => '')).toBe('');
    });

    test('publish a release: what can refuse first, what everybody sees last', async () => {
      expect((await release('1.9.0')).failure).toBeUndefined();
      const tags = await imageTags();
      expect(Object.keys(tags).toSorted()).toEqual(['1', '1.9', '1.9.0']);
      expect(new Set(Object.values(tags)).size).toBe(1);
      expect(npm.tags).toEqual({ latest: '1.9.0' });
      const image = `${registry}/acme/exporter`;
      const source = `skopeo copy --all --preserve-digests docker://${image}@${tags['1']} docker://${image}`;
      expect((await readFile(log, 'utf8')).trimEnd().split('\n')).toEqual([
        'cosign sign-blob --yes --bundle release/SHA256SUMS.sigstore.json release/SHA256SUMS',
        `skopeo copy --all --preserve-digests oci:image docker://${image}@${tags['1']}`,
        `cosign sign --yes --recursive ${image}@${tags['1']}`,
        'gh release view v1.9.0',
        expect.stringMatching(/^gh release create v1\.9\.0 --draft --prerelease=false --verify-tag /),
        expect.stringMatching(/^gh release upload v1\.9\.0 --clobber .*SHA256SUMS/),
        'npm has 1.9.0 as latest',
        expect.stringMatching(/^helm push /),
        expect.stringMatching(/^cosign sign --yes \S+\/acme\/charts\/agent-platform-exporter@sha256:\w{64}$/),
        `${source}:1.9.0`,
        `${source}:1.9`,
        `${source}:1`,
        'gh release edit v1.9.0 --draft=false --latest=true',
      ]);
      // Each architecture, and its attestation, is the manifest that was built.
      const manifest = await fetch(`http://${registry}/v2/acme/exporter/manifests/1`, {
        headers: { accept: INDEX },
      });
      const { manifests } = (await manifest.json()) as {
        manifests: { platform: { architecture: string } }[];
      };
      expect(manifests.map(({ platform }) => platform.architecture)).toEqual([
        'amd64',
        'unknown',
        'arm64',
        'unknown',
      ]);
    });

    test('publish a candidate beside it, and move no name of a release', async () => {
      const before = await imageTags();
      await writeFile(log, '');
      expect((await release('2.0.0-rc.1')).failure).toBeUndefined();
      const { '2.0.0-rc.1': candidate, ...others } = await imageTags();
      expect([others, candidate]).toEqual([before, expect.stringMatching(/^sha256:/)]);
      expect(npm.tags).toEqual({ latest: '1.9.0', next: '2.0.0-rc.1' });
      const said = await readFile(log, 'utf8');
      expect(said).toMatch(/^gh release create v2\.0\.0-rc\.1 --draft --prerelease=true /m);
      expect(said).toMatch(/^gh release edit v2\.0\.0-rc\.1 --draft=false --latest=false$/m);
    });

    test('publish a backport, and let 1 and latest stay', async () => {
      const before = await imageTags();
      await writeFile(log, '');
      expect((await release('1.8.1')).failure).toBeUndefined();
      const { '1.8.1': exact, '1.8': line, ...others } = await imageTags();
      expect([others, line]).toEqual([before, exact]);
      expect(npm.tags).toEqual({ latest: '1.9.0', next: '2.0.0-rc.1', 'latest-1.8': '1.8.1' });
      expect(await readFile(log, 'utf8')).toMatch(/^gh release edit v1\.8\.1 --draft=false --latest=false$/m);
    });

    test('refuse what is older than what is published, before anything else', async () => {
      await writeFile(log, '');
      expect((await release('1.8.0')).failure).toContain(
        'nothing is released: npm has version 1.8.1, and 1.8.0 is not newer',
      );
      expect(await readFile(log, 'utf8')).toBe('');
    });

    test('show nothing of a release that npm refuses, and can do the rest later, more than once', async () => {
      const before = await imageTags();
      await writeFile(log, '');
      npm.refuses = true;
      const { failure, publish } = await release('1.9.1');
      expect(failure).toContain('npm publish');
      expect(await imageTags()).toEqual(before);
      expect(await readFile(log, 'utf8')).not.toMatch(/helm push|--draft=false/);
      npm.refuses = false;
      expect([await publish?.(), await publish?.()]).toEqual([undefined, undefined]);
      const { '1': major, '1.9': line, '1.9.1': exact } = await imageTags();
      expect([major, line]).toEqual([exact, exact]);
      expect(npm.tags).toMatchObject({ latest: '1.9.1' });
    });

    test('move no name back if a job is run again after the release of another version', async () => {
      npm.refuses = true;
      const { publish } = await release('1.9.2');
      npm.refuses = false;
      expect((await release('1.9.3')).failure).toBeUndefined();
      const [before, tags] = [await imageTags(), { ...npm.tags }];
      await writeFile(log, '');
      expect(await publish?.()).toContain(
        'npm has version 1.9.3 since the names of 1.9.2 were decided: run all jobs again',
      );
      expect([await imageTags(), npm.tags]).toEqual([before, tags]);
      expect(await readFile(log, 'utf8')).toBe('');
    });
  });
});

function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Writes what the builder of images does: an index of an image and the attestation about it, in a layout. */
async function writeImage(folder: string, architecture: string, version: string): Promise<void> {
  await mkdir(join(folder, 'blobs/sha256'), { recursive: true });
  async function blob(mediaType: string, content: unknown) {
    const text = JSON.stringify(content);
    await writeFile(join(folder, 'blobs/sha256', sha256(text)), text);
    return { mediaType, digest: `sha256:${sha256(text)}`, size: Buffer.byteLength(text) };
  }
  async function manifest(layerType: string, layer: unknown, platform: { architecture: string; os: string }) {
    const layers = [await blob(layerType, layer)];
    const rootfs = { type: 'layers', diff_ids: layers.map(({ digest }) => digest) };
    const config = await blob('application/vnd.oci.image.config.v1+json', { ...platform, rootfs });
    return { ...(await blob(MANIFEST, { schemaVersion: 2, mediaType: MANIFEST, config, layers })), platform };
  }
  const image = await manifest('application/vnd.oci.image.layer.v1.tar', [version, architecture], {
    architecture,
    os: 'linux',
  });
  const attestation = await manifest('application/vnd.in-toto+json', [image.digest], {
    architecture: 'unknown',
    os: 'unknown',
  });
  const index = await blob(INDEX, { schemaVersion: 2, mediaType: INDEX, manifests: [image, attestation] });
  await writeFile(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [index] }));
  await writeFile(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
}
