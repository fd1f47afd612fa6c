import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { keepLog } from '../support/logs.ts';
import { waitFor } from '../support/wait-for.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const GRACE_MS = 6_000;

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program under test. */
export interface Program {
  readonly pid: number | undefined;
  stdout(): string;
  stderr(): string;
  /** Sends the program a signal. */
  send(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ending>;
  /** The result, once the program has exited. */
  ending(): Ending | undefined;
}

export interface Programs {
  start(command: string, args: readonly string[], options?: RunOptions): Program;
  /** Runs until it exits. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<Ending & Output>;
  /** The exporter, from its sources; of the environment it has what is given, and where Node keeps compiled code. */
  exporter(args: readonly string[], environment?: Readonly<Record<string, string>>): Program;
  /** A new directory. */
  folder(): string;
}

interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
}

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts programs for the tests of one file; afterwards, running ones are stopped and their directories are removed. */
export function createPrograms(): Programs {
  const running = new Map<ChildProcess, Promise<Ending>>();
  const folders: string[] = [];

  function folder(): string {
    const path = mkdtempSync(join(tmpdir(), 'exporter-system-'));
    folders.push(path);
    return path;
  }

  function start(command: string, args: readonly string[], options: RunOptions = {}): Program {
    const { PATH = '', HOME = '/' } = process.env;
    // Each in its own directory, because of the files that a program stores there.
    const cache = command === process.execPath ? COMPILE_CACHE : {};
    const env = { PATH, HOME, ...cache, ...options.environment };
    const child = spawn(command, args, { cwd: folder(), env });
    const written = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      written.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      written.stderr += text;
    });
    keepLog([command, ...args].join(' ').slice(0, 200), () => written.stdout + written.stderr);
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
    const ended = once(child, 'close').then(([code, signal]): Ending => ({ code, signal }));
    running.set(child, ended);
    let ending: Ending | undefined;
    ended
      .then((result) => {
        ending = result;
      })
      .catch(() => undefined)
      .finally(() => running.delete(child));
    return {
      pid: child.pid,
      stdout: () => written.stdout,
      stderr: () => written.stderr,
      send: (signal) => void child.kill(signal),
      ending: () => ending,
      ended,
    };
  }

  afterAll(async () => {
    await Promise.all([...running].map(([child, ended]) => end(child, ended)));
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  return {
    start,
    async run(command, args, options) {
      const program = start(command, args, options);
      const ending = await program.ended;
      return { ...ending, stdout: program.stdout(), stderr: program.stderr() };
    },
    exporter: (args, environment = {}) => start(process.execPath, [MAIN, ...args], { environment }),
    folder,
  };
}

async function end(child: ChildProcess, ended: Promise<Ending>): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  await ended.catch(() => undefined);
  clearTimeout(timer);
}

/** The first group of a pattern in a program's output, once it matches; rejects if the program exits before that. */
export async function written(
  program: Program,
  stream: 'stdout' | 'stderr',
  pattern: RegExp,
): Promise<string> {
  const found = await waitFor(() => {
    const text = pattern.exec(program[stream]())?.[1];
    if (text === undefined && program.ending() === undefined) throw new Error(`no ${pattern} yet`);
    return text;
  });
  if (found !== undefined) return found;
  throw new Error(`the program exited without ${pattern}: ${program.stdout()}${program.stderr()}`);
}
