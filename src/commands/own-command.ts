import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../config/process-environment.ts';

const name = 'agent-platform-exporter';

/**
 * The command line that runs this program's `hook`: its name where PATH leads to this very installation, else the
 * paths of Node and of the program.
 */
export function ownCommand(environment: Environment, config: string | undefined): string {
  const program = fileURLToPath(new URL('../../bin/agent-platform-exporter.js', import.meta.url));
  const words = isOnPath(program, environment) ? [name] : [process.execPath, program];
  const flags = config === undefined ? [] : [`--config=${path.resolve(config)}`];
  return [...words, 'hook', ...flags].map(quotedForShell).join(' ');
}

function isOnPath(program: string, environment: Environment): boolean {
  const wanted = existsSync(program) ? realpathSync(program) : program;
  return (environment['PATH'] ?? '').split(path.delimiter).some((folder) => {
    const candidate = path.join(folder, name);
    return path.isAbsolute(folder) && existsSync(candidate) && realpathSync(candidate) === wanted;
  });
}

// Double quotes are read by the shells of every system; what they would not protect from is left to nobody's paths.
function quotedForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word)
    ? word
    : `"${word.replace(/["$`\\]/g, process.platform === 'win32' ? '$&' : '\\$&')}"`;
}
