import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The checkout. */
export const ROOT = path.resolve(import.meta.dirname, '..');

/**
 * Compiles the bench and what it measures to JavaScript, as a release is, and gives the directory: the compiler
 * that Node has for TypeScript would be measured too otherwise.
 */
export function compileBench(): string {
  // Below the checkout's packages, so that they are found.
  const directory = path.join(ROOT, 'node_modules', '.cache', 'agent-platform-exporter-bench');
  rmSync(directory, { recursive: true, force: true });
  compile('-p', 'bench/tsconfig.json', '--noCheck', '--outDir', directory);
  writeFileSync(path.join(directory, 'package.json'), '{"type": "module"}\n');
  return directory;
}

/** Builds the exporter, as `npm run build` does. */
export function buildExporter(): void {
  compile('-p', 'tsconfig.build.json');
}

function compile(...options: readonly string[]): void {
  const tsc = path.join(ROOT, 'node_modules', '.bin', 'tsc');
  const { status } = spawnSync(tsc, options, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) throw new Error('the code does not compile');
}
