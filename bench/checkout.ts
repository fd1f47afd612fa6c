import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

/** The directory of this repository. */
export const ROOT = path.resolve(import.meta.dirname, '..');

/** A checkout of the repository, built as in a release: Node's own TypeScript support costs time and memory. */
export interface Checkout {
  readonly directory: string;
  /** Short; with `+` if the working tree differs from it. */
  readonly commit: string;
  /** The program as installed. */
  readonly program: string;
  /** The variables of its container image that its memory depends on. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Builds a checkout, with its own compiler and apart from its own build; throws if that fails. */
export function buildCheckout(directory: string): Checkout {
  const modules = path.join(directory, 'node_modules');
  if (!existsSync(modules)) throw new Error(`${directory} has no node_modules: run npm ci there`);
  // Inside node_modules, so that packages are resolved.
  const release = path.join(modules, '.cache', 'agent-platform-exporter-bench');
  rmSync(release, { recursive: true, force: true });
  const options = ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', path.join(release, 'dist')];
  const compiler = path.join(modules, '.bin', 'tsc');
  const { status } = spawnSync(compiler, options, { cwd: directory, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${directory} does not compile`);
  const bundler = path.join(directory, 'scripts/bundle/hook.ts');
  if (existsSync(bundler))
    execFileSync(process.execPath, [bundler, path.join(release, 'dist')], { stdio: 'inherit' });
  for (const part of ['bin', 'package.json'])
    cpSync(path.join(directory, part), path.join(release, part), { recursive: true });
  const image = readFileSync(path.join(directory, 'Dockerfile'), 'utf8');
  return {
    directory,
    commit: commitOf(directory),
    program: path.join(release, 'bin', 'agent-platform-exporter.js'),
    environment: Object.fromEntries(
      [...image.matchAll(/\b(NODE_OPTIONS|GLIBC_TUNABLES)=(\S+)/g)].map(([, name, value]) => [name, value]),
    ),
  };
}

function commitOf(directory: string): string {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: directory, encoding: 'utf8' }).stdout;
  const commit = git('rev-parse', '--short', 'HEAD')?.trim() || 'unknown';
  return git('status', '--porcelain') ? `${commit}+` : commit;
}
