import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Whether a program is on PATH. If it is not, the tests that need it are skipped with a message; in CI a missing program
 * is an error, because a test that never runs protects nothing.
 */
export function requireTool(name: string): boolean {
  if (isOnPath(name)) return true;
  if (process.env['CI']) throw new Error(`${name} is not on PATH, and CI skips nothing`);
  process.stderr.write(`skipped: the tests that need ${name}, which is not on PATH\n`);
  return false;
}

/** The first of a program's names that is on PATH; as `requireTool` if there is none. */
export function findTool(names: readonly [string, ...string[]]): string | undefined {
  const found = names.find(isOnPath);
  return found ?? (requireTool(names[0]) ? names[0] : undefined);
}

/** A Python with a module: the one on PATH, or that of the system, whose packages the former may not see. */
export function findPython(module: string): string | undefined {
  const found = ['python3', '/usr/bin/python3'].find(
    (python) => spawnSync(python, ['-c', `import ${module}`]).status === 0,
  );
  if (found !== undefined) return found;
  if (process.env['CI']) throw new Error(`no Python has the module ${module}, and CI skips nothing`);
  process.stderr.write(`skipped: the tests that need the module ${module} of Python\n`);
  return undefined;
}

function isOnPath(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Whether this process may mount and change roots, as needed by tests that run the contents of an image. */
export function requireRoot(): boolean {
  if (process.getuid?.() === 0) return true;
  if (process.env['CI']) throw new Error('not root, and CI skips nothing');
  process.stderr.write('skipped: the tests that need root\n');
  return false;
}

const NETWORK =
  /^(?:(?:https?|no)_proxy|ssl_cert_(?:file|dir)|node_extra_ca_certs|npm_config_registry|goproxy|gonosumdb|goflags)$/i;

/** How this machine reaches package registries: the environment variables for a program that downloads packages. */
export function networkEnvironment(): Readonly<Record<string, string>> {
  const found = Object.entries(process.env).filter(
    ([name, value]) => NETWORK.test(name) && value !== undefined,
  );
  return Object.fromEntries(found.map(([name, value]) => [name, value ?? '']));
}
