import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '../config/process-environment.ts';
import { ownProgram } from '../files/installation.ts';

const name = 'agent-platform-exporter';
const isWindows = process.platform === 'win32';
/** The PATH of programs that are started from a desktop. */
const systemPaths = { linux: '/usr/local/bin:/usr/bin:/bin', darwin: '/usr/bin:/bin:/usr/sbin:/sbin' };

/**
 * The command line that runs this program's `hook` from an agent, which may be started from a desktop: its name if the
 * system's own PATH leads to this installation and to its Node.js, otherwise their paths. Without `NODE_OPTIONS`, with which
 * a debugger may have started the agent: a preload that no longer exists would end the hook with an error.
 */
export function ownCommand(environment: Environment, config: string | undefined): string {
  const flags = config === undefined ? [] : [`--config=${path.resolve(config)}`];
  const { file, words } = ownProgram();
  const PATH = isWindows
    ? environment['PATH']
    : systemPaths[process.platform === 'darwin' ? 'darwin' : 'linux'];
  const isFound =
    isOnPath(file, name, { PATH }) &&
    (isWindows || words.length === 1 || isOnPath(process.execPath, 'node', { PATH }));
  const line = quotedLine([...(isFound ? [name] : words), 'hook', ...flags]);
  return isWindows ? line : `env -u NODE_OPTIONS ${line}`;
}

/** A command line that runs this program in this terminal, regardless of how it is installed. */
export function commandLine(args: readonly string[], environment: Environment): string {
  const { file, words } = ownProgram();
  return quotedLine([...(isOnPath(file, name, environment) ? [name] : words), ...args]);
}

function isOnPath(program: string, as: string, environment: Environment): boolean {
  const target = existsSync(program) ? realpathSync(program) : program;
  return (environment['PATH'] ?? '').split(path.delimiter).some((folder) => {
    const candidate = path.join(folder, as);
    return path.isAbsolute(folder) && existsSync(candidate) && realpathSync(candidate) === target;
  });
}

function quotedLine(words: readonly string[]): string {
  return words.map(quotedForShell).join(' ');
}

// The shells of every system understand double quotes; the characters that they do not protect are rare in paths.
function quotedForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replace(/["$`\\]/g, isWindows ? '$&' : '\\$&')}"`;
}
