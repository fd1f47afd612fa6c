import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Built } from '../build.ts';
import { endProgram, freePort } from '../programs.ts';
import { ratiosOf, type Spread, spreadOf } from '../report/statistics.ts';

/** From the start of a process to its first answered scrape, in milliseconds. */
export interface StartingResult {
  /** The exporter's first start, without a store. */
  readonly first: number;
  /** The later starts. */
  readonly exporter: Spread;
  readonly bare: Spread;
  /** The exporter's start relative to the bare program's after it. */
  readonly ratio: Spread;
}

const KNOCK_MS = 2;
const GIVE_UP_MS = 20_000;
const REQUEST = 'GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n';

/** Starts the built program and a bare exporter in turn, the given number of times each. */
export async function measureStarting({ bench, program }: Built, times: number): Promise<StartingResult> {
  // Contains the program's store; initially empty.
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-'));
  const serve = serveCommand([process.execPath, program]);
  const bareStart = path.join(bench, 'bench/servers/bare-start.js');
  const serveBare = (port: number) => [process.execPath, bareStart, String(port)];
  const exporter: number[] = [];
  const bare: number[] = [];
  try {
    const { ms: first } = await timeStart(directory, serve);
    for (let nth = 0; nth < times; nth++) {
      exporter.push((await timeStart(directory, serve)).ms);
      bare.push((await timeStart(directory, serveBare)).ms);
    }
    return { first, exporter: spreadOf(exporter), bare: spreadOf(bare), ratio: ratiosOf(exporter, bare) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The command line to serve on a port. */
export function serveCommand(program: readonly string[]): CommandFor {
  return (port) => [...program, 'serve', `--web.listen-address=127.0.0.1:${port}`];
}

export interface Started {
  /** From the start of the process to its first answered scrape. */
  readonly ms: number;
  /** The page of that scrape. */
  readonly page: string;
}

type CommandFor = (port: number) => readonly string[];

/** Starts a program in a directory, waits for its first answered scrape and stops it. */
export async function timeStart(directory: string, commandFor: CommandFor): Promise<Started> {
  const port = await freePort();
  const startedAt = performance.now();
  const [command = '', ...args] = commandFor(port);
  const child = spawn(command, args, {
    cwd: directory,
    // Nothing listens at this address: the platform is not part of the measurement.
    env: {
      AGENT_PLATFORM_API_BASE_URL: 'http://127.0.0.1:9',
      AGENT_PLATFORM_API_KEY: 'not-a-key',
    },
    stdio: 'ignore',
  });
  try {
    let page = await scrape(port);
    for (; page === undefined; page = await scrape(port)) {
      if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended`);
      if (performance.now() - startedAt > GIVE_UP_MS) throw new Error('no scrape was answered');
      await wait(KNOCK_MS);
    }
    return { ms: performance.now() - startedAt, page };
  } finally {
    await endProgram(child);
  }
}

/** The answer to a scrape; undefined as long as nothing listens. */
function scrape(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(REQUEST));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => resolve(undefined));
    socket.on('close', () => resolve(text.startsWith('HTTP/1.1 200 ') ? text : undefined));
  });
}
