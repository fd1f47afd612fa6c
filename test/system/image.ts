import { globSync } from 'node:fs';
import {
  chmod,
  copyFile,
  cp,
  mkdir,
  readdir,
  readFile,
  realpath,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitFor } from '../support/wait-for.ts';
import type { Ending, Program, Programs } from './programs.ts';
import { networkEnvironment } from './tools.ts';

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const BUILD_PROGRAMS = ['/bin/sh', '/bin/mkdir', '/bin/rm', '/usr/bin/env'];
const USER = '65532:65532';

/** Builds images with buildah, in a separate store that is removed with the programs' directories. */
export interface Builder {
  /** Runs buildah and returns its output; rejects if it fails. */
  buildah(args: readonly string[]): Promise<string>;
  /** Builds the repository's Dockerfile with substitutes for its base images. */
  build(image: string, args: Readonly<Record<string, string>>): Promise<void>;
  /** The files of an image, as a directory. */
  filesOf(image: string): Promise<string>;
  /** Unmounts the directories. */
  close(): Promise<void>;
}

/**
 * The base images of the Dockerfile come from registries. Their substitutes here have the same programs at the same
 * paths, taken from this machine: Node.js and npm with a shell for building, and bare libraries for the image.
 */
export async function createBuilder(programs: Programs): Promise<Builder> {
  const folder = programs.folder();
  const store = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run')];

  async function buildah(args: readonly string[]): Promise<string> {
    const environment = { ...networkEnvironment(), BUILDAH_ISOLATION: 'chroot' };
    return succeed(await programs.run('buildah', [...store, ...args], { environment }), `buildah ${args[0]}`);
  }

  async function commit(files: string, image: string, environment: readonly string[]): Promise<void> {
    const container = (await buildah(['from', 'scratch'])).trim();
    await buildah(['copy', container, files, '/']);
    const set = ['PATH=/usr/local/bin:/usr/bin:/bin', ...environment].flatMap((entry) => ['--env', entry]);
    await buildah(['config', ...set, container]);
    await buildah(['commit', '--format', 'docker', container, image]);
    await buildah(['rm', container]);
  }

  const base = await createBase(programs, join(folder, 'base'));
  await commit(base, 'localhost/base:test', []);
  const node = await createNode(programs, join(folder, 'node'));
  await commit(node, 'localhost/node:test', [
    `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`,
    'npm_config_prefer_offline=true',
    'npm_config_update_notifier=false',
  ]);
  const cache = succeed(await programs.run('npm', ['config', 'get', 'cache']), 'npm').trim();

  return {
    buildah,
    async build(image, args) {
      const all = { NODE_IMAGE: 'localhost/node:test', BASE_IMAGE: 'localhost/base:test', ...args };
      const given = Object.entries(all).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
      // HEALTHCHECK does not exist in the other format.
      const format = ['--format', 'docker', '--volume', `${cache}:/root/.npm`];
      await buildah(['bud', ...format, ...given, '--tag', image, REPOSITORY]);
    },
    async filesOf(image) {
      const container = (await buildah(['from', '--pull-never', image])).trim();
      return (await buildah(['mount', container])).trim();
    },
    async close() {
      await buildah(['rm', '--all']);
    },
  };
}

function succeed(result: Ending & { readonly stdout: string; readonly stderr: string }, what: string) {
  if (result.code !== 0) throw new Error(`${what} failed: ${result.stdout}${result.stderr}`);
  return result.stdout;
}

async function createBase(programs: Programs, root: string): Promise<string> {
  for (const path of ['etc', 'tmp', 'proc', 'var/lib']) await mkdir(join(root, path), { recursive: true });
  await chmod(join(root, 'tmp'), 0o1777);
  await writeFile(join(root, 'etc/passwd'), `nonroot:x:${USER}::/home/nonroot:/sbin/nologin\n`);
  await addLibraries(programs, root, process.execPath);
  return root;
}

async function createNode(programs: Programs, root: string): Promise<string> {
  await addProgram(programs, root, process.execPath, '/usr/local/bin/node');
  for (const path of BUILD_PROGRAMS) await addProgram(programs, root, path, path);
  // The bundler of the build is a library of its own, which needs more of the C library's files than Node.js.
  for (const library of globSync('node_modules/@rolldown/binding-*/*.node', { cwd: REPOSITORY }))
    await addLibraries(programs, root, join(REPOSITORY, library));
  const found = succeed(await programs.run('sh', ['-c', 'command -v npm']), 'npm').trim();
  const npm = dirname(dirname(await realpath(found)));
  await cp(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
  await mkdir(join(root, dirname(CERTIFICATES)), { recursive: true });
  await copyFile(CERTIFICATES, join(root, CERTIFICATES));
  await mkdir(join(root, 'tmp'));
  return root;
}

async function addProgram(programs: Programs, root: string, from: string, to: string): Promise<void> {
  await mkdir(dirname(join(root, to)), { recursive: true });
  await copyFile(await realpath(from), join(root, to));
  await addLibraries(programs, root, from);
}

async function addLibraries(programs: Programs, root: string, program: string): Promise<void> {
  const listed = succeed(await programs.run('ldd', [program]), 'ldd');
  for (const [path] of listed.matchAll(/\/\S+/g)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await copyFile(await realpath(path), join(root, path));
  }
}

const ENTER = `
root=$1; shift
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o uid=65532,gid=65532,mode=0700 tmpfs "$root/var/lib/agent-platform-exporter"
mount -o remount,bind,ro "$root"
exec /usr/sbin/chroot --userspec=${USER} "$root" "$@"
`;

/** Runs a command as an engine would: as the first process, unprivileged, on a read-only tree with one volume. */
export function runContained(
  programs: Programs,
  root: string,
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): Program {
  const unshare = ['--mount', '--pid', '--fork', '--kill-child', '/bin/sh', '-e', '-c', ENTER, 'sh', root];
  return programs.start('unshare', [...unshare, ...command], { environment });
}

/** The process id, as seen from outside, of the first process of a container. */
export function firstProcess({ pid: parent, stderr }: Program): Promise<number> {
  return waitFor(async () => {
    for (const pid of await readdir('/proc')) {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      if (!status.includes(`\nPPid:\t${parent}\n`)) continue;
      const [program = ''] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
      if (basename(program) === 'node') return Number(pid);
    }
    throw new Error(`no first process yet: ${stderr()}`);
  });
}
