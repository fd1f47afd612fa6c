import { spawnSync } from 'node:child_process';

/** Runs the npm that runs this script, or otherwise the one on PATH; returns its standard output. */
export function npm(args: readonly string[]): { readonly output: string; readonly code: number } {
  const own = process.env['npm_execpath'];
  const [command, first] = own === undefined ? ['npm', []] : [process.execPath, [own]];
  const { status, stdout, error } = spawnSync(command, [...first, ...args], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (error !== undefined) throw error;
  return { output: stdout, code: status ?? 1 };
}
