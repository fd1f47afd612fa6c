import { spawnSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The repository's directory. */
export const ROOT = path.resolve(import.meta.dirname, '..');

/** Inside the repository's `node_modules`, so that packages are resolved. */
const DIRECTORY = path.join(ROOT, 'node_modules', '.cache', 'agent-platform-exporter-bench');

/** JavaScript is measured, as in a release: Node's own TypeScript support costs time and memory. */
export interface Built {
  /** Contains the compiled benchmark and source. */
  readonly bench: string;
  /** The program as installed. */
  readonly program: string;
}

/** Builds the single executable, separately from the repository's own build, and returns its path. */
export function buildExecutable(): string {
  const file = path.join(DIRECTORY, 'executable', 'agent-platform-exporter');
  const script = path.join(ROOT, 'scripts', 'bundle', 'build.ts');
  const { status, stderr } = spawnSync(process.execPath, [script, `--output=${file}`], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the executable cannot be built: ${stderr}`);
  return file;
}

/** Compiles the benchmark and builds the program, separately from the repository's own build. */
export function build(): Built {
  const directory = DIRECTORY;
  rmSync(directory, { recursive: true, force: true });
  const bench = path.join(directory, 'compiled');
  compile('bench/tsconfig.json', bench);
  writeFileSync(path.join(bench, 'package.json'), '{"type": "module"}\n');
  const release = path.join(directory, 'release');
  compile('tsconfig.build.json', path.join(release, 'dist'));
  for (const part of ['bin', 'package.json']) {
    cpSync(path.join(ROOT, part), path.join(release, part), { recursive: true });
  }
  return { bench, program: path.join(release, 'bin', 'agent-platform-exporter.js') };
}

function compile(project: string, directory: string): void {
  const tsc = path.join(ROOT, 'node_modules', '.bin', 'tsc');
  const options = ['-p', project, '--noCheck', '--outDir', directory];
  const { status } = spawnSync(tsc, options, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${project} does not compile`);
}
