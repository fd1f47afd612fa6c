import { existsSync, readFileSync } from 'node:fs';
import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { packagedUnit } from '../../scripts/packages/unit.ts';
import { buildExecutable } from './executable.ts';
import { REPOSITORY } from './image.ts';
import { createPrograms } from './programs.ts';
import { requireRoot, requireTool } from './tools.ts';

const RULES = ['rules.yaml', 'recording.rules.yaml'].map(
  (name) => `/usr/share/agent-platform-exporter/agent-platform-exporter.${name}`,
);
const UNIT = join(REPOSITORY, 'packaging/agent-platform-exporter.service');

/** This machine's own root, into which a package can be installed without a trace: all writes go to memory. */
const ENTER = `
work=$1; shift
mount -t tmpfs tmpfs "$work"
mkdir "$work/upper" "$work/work" "$work/root" "$work/packages"
mount --bind "$PACKAGES" "$work/packages"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/work" "$work/root"
mkdir -p "$work/root/packages"
mount --bind "$work/packages" "$work/root/packages"
mount -t proc proc "$work/root/proc"
mount --rbind /dev "$work/root/dev"
exec /usr/sbin/chroot "$work/root" /bin/sh -e -c "$@"
`;

describe.runIf(requireTool('nfpm') && requireRoot())('the packages', () => {
  const programs = createPrograms();
  const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
    version: string;
  };
  let folder = '';
  let deb = '';
  let rpm = '';

  async function build(binary: string, version: string): Promise<readonly string[]> {
    const args = [join(REPOSITORY, 'scripts/packages/build.ts'), `--binary=${binary}`, `--output=${folder}`];
    const made = await programs.run(process.execPath, [...args, `--version=${version}`]);
    if (made.code !== 0) throw new Error(`${made.stdout}${made.stderr}`);
    return readdir(folder);
  }

  beforeAll(async () => {
    folder = programs.folder();
    const binary = await buildExecutable(programs);
    const files = await build(binary, '0.1.0');
    await build(binary, '0.2.0');
    await build(binary, '2.0.0-rc.1');
    deb = files.find((file) => file.endsWith('.deb')) ?? '';
    rpm = files.find((file) => file.endsWith('.rpm')) ?? '';
  });

  function contained(script: string) {
    const args = ['--mount', '--pid', '--fork', '--kill-child', '/bin/sh', '-e', '-c', ENTER, 'sh'];
    return programs.run('unshare', [...args, programs.folder(), script], {
      environment: { PACKAGES: folder },
    });
  }

  test.runIf(requireTool('dpkg'))(
    'for Debian are installed, upgraded and purged without a trace',
    async () => {
      const upgrade = deb.replace('0.1.0', '0.2.0');
      const { code, stdout, stderr } = await contained(`
      export DEBIAN_FRONTEND=noninteractive
      dpkg -i /packages/${deb} | grep '^Edit '
      id -un agent-platform-exporter
      stat -c '%a %U %G %n' /etc/agent-platform-exporter /etc/agent-platform-exporter/config.yaml
      printf key | install --mode=0640 --group=agent-platform-exporter /dev/stdin /etc/agent-platform-exporter/api-key
      mkdir -m 0700 /var/lib/agent-platform-exporter
      chown agent-platform-exporter: /var/lib/agent-platform-exporter
      setpriv --reuid agent-platform-exporter --regid agent-platform-exporter --clear-groups \\
        agent-platform-exporter check-config --config.file=/etc/agent-platform-exporter/config.yaml | grep -c acme
      echo '# edited' >>/etc/agent-platform-exporter/config.yaml
      dpkg -i /packages/${upgrade} | grep -c '^Edit ' || true
      dpkg-query -W -f '\${Version}\\n' agent-platform-exporter
      tail -n 1 /etc/agent-platform-exporter/config.yaml
      cat /etc/agent-platform-exporter/api-key; echo
      rm /etc/agent-platform-exporter/config.yaml
      dpkg -i /packages/${upgrade} >/dev/null
      dpkg --remove agent-platform-exporter >/dev/null
      ls /etc/agent-platform-exporter /var/lib | grep -cE '^(api-key|agent-platform-exporter)$'
      dpkg --purge agent-platform-exporter >/dev/null 2>&1
      ls -d /etc/agent-platform-exporter /var/lib/agent-platform-exporter /usr/bin/agent-platform-exporter 2>/dev/null || echo gone
      id agent-platform-exporter 2>/dev/null || echo 'no user'
    `);
      expect(code, stderr).toBe(0);
      expect(stdout.split('\n')).toEqual([
        // Only the first installation prints the next steps.
        expect.stringMatching(/^Edit .*systemctl enable --now agent-platform-exporter$/),
        'agent-platform-exporter',
        '750 root agent-platform-exporter /etc/agent-platform-exporter',
        '640 root agent-platform-exporter /etc/agent-platform-exporter/config.yaml',
        expect.stringMatching(/^[1-9]\d*$/),
        '0',
        '0.2.0',
        '# edited',
        'key',
        '2',
        'gone',
        'no user',
        '',
      ]);
    },
  );

  test.runIf(requireTool('dpkg'))(
    'of a candidate are older than its release, in files whose names every forge keeps',
    async () => {
      const candidates = (await readdir(folder)).filter((name) => /rc\.1.*\.(deb|rpm)$/.test(name));
      expect(candidates).toHaveLength(2);
      for (const name of candidates) expect(name).toMatch(/^[\w.-]+2\.0\.0-rc\.1[\w.-]+$/);
      const version = await programs.run('dpkg-deb', [
        '--field',
        join(folder, candidates.find((name) => name.endsWith('.deb')) ?? ''),
        'Version',
      ]);
      expect(version.stdout).toBe('2.0.0~rc.1\n');
    },
  );

  test.runIf(requireTool('dpkg'))('for Debian carry the alerts and the recording rules', async () => {
    const { stdout } = await programs.run('dpkg-deb', ['--contents', join(folder, deb)]);
    for (const rules of RULES) expect(stdout).toContain(` .${rules}\n`);
  });

  test.runIf(requireTool('dpkg'))(
    'for Debian need nothing but their declared dependencies: on a bare root',
    async () => {
      const root = programs.folder();
      const script = join(REPOSITORY, 'test/system/bare-root.sh');
      const copied = await programs.run('/bin/sh', [script, join(folder, deb), root]);
      expect(copied.code, copied.stderr).toBe(0);
      for (const version of ['0.1.0', '0.2.0'])
        await copyFile(join(folder, deb.replace('0.1.0', version)), join(root, 'tmp', `${version}.deb`));
      const commands = `
      dpkg -i /tmp/0.1.0.deb >/dev/null
      agent-platform-exporter --version
      dpkg -i /tmp/0.2.0.deb >/dev/null
      dpkg-query -W -f '\${Version}\n' agent-platform-exporter
      dpkg --purge agent-platform-exporter >/dev/null 2>&1
      ls /usr/bin/agent-platform-exporter 2>/dev/null || echo gone`;
      const enter = ['--mount', '--pid', '--fork', '--kill-child', '/usr/sbin/chroot', root];
      const { code, stdout, stderr } = await programs.run('unshare', [
        ...enter,
        '/bin/sh',
        '-e',
        '-c',
        commands,
      ]);
      expect([code, stdout], stderr).toEqual([
        0,
        `agent-platform-exporter ${version} (node ${process.versions.node})\n0.2.0\ngone\n`,
      ]);
    },
  );

  test.runIf(requireTool('rpm'))('for RPM are installed into an empty root and removed from it', async () => {
    const root = programs.folder();
    // The machine has no other RPM packages to satisfy the dependencies, and no user for the scripts.
    const rpmIn = (...args: readonly string[]) =>
      programs.run('rpm', ['--root', root, '--nodeps', '--noscripts', '--nosignature', ...args]);
    const installed = await rpmIn('--install', join(folder, rpm));
    expect(installed.code, installed.stderr).toBe(0);
    const { stdout } = await programs.run(join(root, 'usr/bin/agent-platform-exporter'), ['--version']);
    expect(stdout).toMatch(/^agent-platform-exporter \d/);
    const upgraded = await rpmIn('--upgrade', join(folder, rpm.replace('0.1.0', '0.2.0')));
    expect(upgraded.code, upgraded.stderr).toBe(0);
    const queried = await programs.run('rpm', ['--root', root, '--query', 'agent-platform-exporter']);
    expect(queried.stdout).toMatch(/^agent-platform-exporter-0\.2\.0-/);
    expect((await rpmIn('--erase', 'agent-platform-exporter')).code).toBe(0);
    expect(existsSync(join(root, 'usr/bin/agent-platform-exporter'))).toBe(false);
  });

  test.runIf(requireTool('rpm'))(
    'for RPM have the same files, the configuration marked as such, and their dependencies',
    async () => {
      const query = async (...args: readonly string[]) =>
        (await programs.run('rpm', ['--query', '--package', join(folder, rpm), ...args])).stdout;
      const list = await query('--list');
      expect(list).toContain('/usr/bin/agent-platform-exporter\n');
      expect(list).toContain('/usr/lib/systemd/system/agent-platform-exporter.service\n');
      for (const rules of RULES) expect(list).toContain(`${rules}\n`);
      expect(await query('--configfiles')).toBe('/etc/agent-platform-exporter/config.yaml\n');
      expect(await query('--requires')).toMatch(/^libstdc\+\+$/m);
      expect(await query('--info')).toMatch(/^License\s+: Apache-2\.0$/m);
    },
  );
});

describe.runIf(requireTool('systemd-analyze'))('the unit of the packages', () => {
  const programs = createPrograms();

  async function unit(change: (text: string) => string): Promise<string> {
    const file = join(programs.folder(), 'agent-platform-exporter.service');
    await writeFile(file, change(packagedUnit(readFileSync(UNIT, 'utf8'))));
    return file;
  }

  test('is accepted by systemd, with a user of its own', async () => {
    const text = packagedUnit(readFileSync(UNIT, 'utf8'));
    expect(text).toContain('\nUser=agent-platform-exporter\n');
    expect(text).not.toMatch(/DynamicUser|LoadCredential/);
    const file = await unit((text) => text.replace('/usr/bin/agent-platform-exporter', '/bin/sh'));
    const { code, stdout, stderr } = await programs.run('systemd-analyze', ['verify', file]);
    expect([code, stdout, stderr.replace(/^.*user.*agent-platform-exporter.*\n/gim, '')]).toEqual([
      0,
      '',
      '',
    ]);
  });

  test('exposes little', async () => {
    const security = [
      'security',
      '--offline=true',
      '--threshold=20',
      '--no-pager',
      await unit((text) => text),
    ];
    const { code, stdout } = await programs.run('systemd-analyze', security);
    expect(stdout).toMatch(/Overall exposure level for agent-platform-exporter\.service: [01]\.\d OK/);
    expect(code).toBe(0);
  });
});
