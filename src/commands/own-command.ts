import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '../config/process-environment.ts';
import { ownProgram } from '../runtime/installation.ts';

const name = 'agent-platform-exporter';

/**
 * The command line that runs this program's `hook`: its name if PATH leads to this installation, otherwise the paths of
 * Node.js and of the program.
 */
export function ownCommand(environment: Environment, config: string | undefined): string {
  const flags = config === undefined ? [] : [`--config=${path.resolve(config)}`];
  return commandLine(['hook', ...flags], environment);
}

/** A command line that runs this program with these arguments, regardless of how it is installed. */
export function commandLine(args: readonly string[], environment: Environment): string {
  const { file, words } = ownProgram();
  return [...(isOnPath(file, environment) ? [name] : words), ...args].map(quotedForShell).join(' ');
}

function isOnPath(program: string, environment: Environment): boolean {
  const target = existsSync(program) ? realpathSync(program) : program;
  return (environment['PATH'] ?? '').split(path.delimiter).some((folder) => {
    const candidate = path.join(folder, name);
    return path.isAbsolute(folder) && existsSync(candidate) && realpathSync(candidate) === target;
  });
}

// The shells of every system understand double quotes; the characters that they do not protect are rare in paths.
function quotedForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word)
    ? word
    : `"${word.replace(/["$`\\]/g, process.platform === 'win32' ? '$&' : '\\$&')}"`;
}
