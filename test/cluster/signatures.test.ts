import { createHash } from 'node:crypto';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { COSIGN } from '../../scripts/cluster/cosign.ts';
import { checksumLines } from '../../scripts/release/plan.ts';
import { CHART } from '../system/chart.ts';
import { createPrograms } from '../system/programs.ts';
import { startRegistry } from '../system/registry.ts';

/** Not the key of a release: without a transparency log, which is a public service. */
const SIGN = ['--yes', '--tlog-upload=false'];
const VERIFY = ['--offline', '--insecure-ignore-tlog'];
const PLAIN = ['--allow-http-registry', '--allow-insecure-registry'];

describe('what a release signs', () => {
  const programs = createPrograms();
  let folder = '';
  let key = '';
  let open = '';
  let otherOpen = '';
  let chart = '';

  async function run(command: string, ...args: readonly string[]) {
    // Nothing outside loopback is reachable, so that only the key counts.
    const proxy = { HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9' };
    const environment = { ...proxy, NO_PROXY: '127.0.0.1', HOME: folder, COSIGN_PASSWORD: '' };
    return programs.run(command, args, { environment });
  }

  async function succeed(command: string, ...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await run(command, ...args);
    expect(code, stderr).toBe(0);
    return stdout + stderr;
  }

  beforeAll(async () => {
    folder = programs.folder();
    for (const name of ['ours', 'other'])
      await succeed(COSIGN, 'generate-key-pair', `--output-key-prefix=${join(folder, name)}`);
    key = `--key=${join(folder, 'ours.key')}`;
    open = `--key=${join(folder, 'ours.pub')}`;
    otherOpen = `--key=${join(folder, 'other.pub')}`;
    await succeed('helm', 'package', CHART, '--destination', folder);
    chart = (await readdir(folder)).find((file) => file.endsWith('.tgz')) ?? '';
  });

  test('is the file of checksums: verified by cosign and by openssl, and refused once it was changed', async () => {
    const sums = join(folder, 'SHA256SUMS');
    const sum = createHash('sha256')
      .update(await readFile(join(folder, chart)))
      .digest('hex');
    await writeFile(sums, checksumLines(new Map([[chart, sum]])));
    const bundle = `${sums}.sigstore.json`;
    const signature = `${sums}.sig`;
    await succeed(
      COSIGN,
      'sign-blob',
      ...SIGN,
      key,
      `--bundle=${bundle}`,
      `--output-signature=${signature}`,
      sums,
    );
    const verify = ['verify-blob', ...VERIFY, `--bundle=${bundle}`];
    expect(await succeed(COSIGN, ...verify, open, sums)).toContain('Verified OK');
    expect((await run(COSIGN, ...verify, otherOpen, sums)).code).not.toBe(0);

    await writeFile(`${signature}.bin`, Buffer.from(await readFile(signature, 'utf8'), 'base64'));
    const dgst = [
      'dgst',
      '-sha256',
      '-verify',
      join(folder, 'ours.pub'),
      '-signature',
      `${signature}.bin`,
      sums,
    ];
    expect(await succeed('openssl', ...dgst)).toBe('Verified OK\n');
    await appendFile(sums, `${'0'.repeat(64)}  another\n`);
    expect((await run(COSIGN, ...verify, open, sums)).code).not.toBe(0);
    expect((await run('openssl', ...dgst)).code).not.toBe(0);
  });

  test('is the image and the chart in their registry, by digest', async () => {
    const registry = await startRegistry(programs);
    const store = ['--root', join(programs.folder(), 'root'), '--runroot', join(programs.folder(), 'run')];
    const container = (await succeed('buildah', ...store, 'from', 'scratch')).trim();
    await succeed('buildah', ...store, 'commit', '--rm', container, 'localhost/exporter:signed');
    const digestFile = join(folder, 'digest');
    const push = ['push', '--tls-verify=false', `--digestfile=${digestFile}`, 'localhost/exporter:signed'];
    await succeed('buildah', ...store, ...push, `docker://${registry}/exporter:1.2.3`);
    const pushed = await succeed(
      'helm',
      'push',
      join(folder, chart),
      `oci://${registry}/charts`,
      '--plain-http',
    );
    const chartDigest = /^Digest: (\S+)$/m.exec(pushed)?.[1];
    for (const name of [
      `${registry}/exporter@${await readFile(digestFile, 'utf8')}`,
      `${registry}/charts/agent-platform-exporter@${chartDigest}`,
    ]) {
      expect((await run(COSIGN, 'verify', ...VERIFY, ...PLAIN, open, name)).code).not.toBe(0);
      await succeed(COSIGN, 'sign', ...SIGN, ...PLAIN, key, name);
      expect(await succeed(COSIGN, 'verify', ...VERIFY, ...PLAIN, open, name)).toContain(name.split('@')[1]);
      expect((await run(COSIGN, 'verify', ...VERIFY, ...PLAIN, otherOpen, name)).code).not.toBe(0);
    }
  });
});
