import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Whether a program is on PATH. Where it is not, the tests that need it are skipped and say so; under CI a missing
 * program is an error, because a test that never runs protects nothing.
 */
export function requireTool(name: string): boolean {
  if (isOnPath(name)) return true;
  if (process.env['CI']) throw new Error(`${name} is not on PATH, and CI skips nothing`);
  process.stderr.write(`skipped: the tests that need ${name}, which is not on PATH\n`);
  return false;
}

/** The first of the names under which a program goes that is on PATH; as `requireTool` where none is. */
export function findTool(names: readonly [string, ...string[]]): string | undefined {
  const found = names.find(isOnPath);
  return found ?? (requireTool(names[0]) ? names[0] : undefined);
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

/** Whether this process may mount and change roots, as tests need that run what an image holds. */
export function requireRoot(): boolean {
  if (process.getuid?.() === 0) return true;
  if (process.env['CI']) throw new Error('not root, and CI skips nothing');
  process.stderr.write('skipped: the tests that need root\n');
  return false;
}

const NETWORK =
  /^(?:(?:https?|no)_proxy|ssl_cert_(?:file|dir)|node_extra_ca_certs|npm_config_registry|goproxy|gonosumdb|goflags)$/i;

/** How this machine reaches package registries: what a program needs of the environment that fetches from them. */
export function networkEnvironment(): Readonly<Record<string, string>> {
  const found = Object.entries(process.env).filter(
    ([name, value]) => NETWORK.test(name) && value !== undefined,
  );
  return Object.fromEntries(found.map(([name, value]) => [name, value ?? '']));
}
