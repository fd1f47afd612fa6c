import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '../config/process-environment.ts';
import { ownProgram } from '../runtime/installation.ts';

const name = 'agent-platform-exporter';

/**
 * The command line that runs this program's `hook`: its name where PATH leads to this very installation, else the
 * paths of Node and of the program.
 */
export function ownCommand(environment: Environment, config: string | undefined): string {
  const flags = config === undefined ? [] : [`--config=${path.resolve(config)}`];
  return commandLine(['hook', ...flags], environment);
}

/** A command line that runs this program with these arguments, wherever it is installed. */
export function commandLine(args: readonly string[], environment: Environment): string {
  const { file, words } = ownProgram();
  return [...(isOnPath(file, environment) ? [name] : words), ...args].map(quotedForShell).join(' ');
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
