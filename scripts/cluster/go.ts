import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A directory in the user's cache for programs that take long to build. */
export function cached(name: string): string {
  const caches = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(caches, 'agent-platform-exporter', name);
}

/** Runs Go in a directory and returns its output; throws if it fails. */
export function go(
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = { GOFLAGS: '-mod=mod' },
): string {
  const path = [process.env['PATH'], '/usr/local/go/bin'].join(delimiter);
  return execFileSync('go', args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PATH: path, CGO_ENABLED: '0', GOWORK: 'off', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
