import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Built } from '../build.ts';
import { endProgram, freePort } from '../programs.ts';
import { median } from '../report/statistics.ts';

/** From the start of a process to its first answered scrape, in milliseconds. */
export interface StartingResult {
  /** The exporter for the first time on a machine: without compiled code from an earlier start. */
  readonly first: number;
  /** Medians of the later starts. */
  readonly exporter: number;
  readonly bare: number;
}

const KNOCK_MS = 2;
const GIVE_UP_MS = 20_000;
const REQUEST = 'GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n';

/** Starts the built program and a bare exporter in turn, the given number of times each. */
export async function measureStarting({ bench, program }: Built, times: number): Promise<StartingResult> {
  // Where the program's cache of compiled code and its store are: empty at first.
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-'));
  const serve = (port: number) => [program, 'serve', `--web.listen-address=127.0.0.1:${port}`];
  const serveBare = (port: number) => [path.join(bench, 'bench/servers/bare-start.js'), String(port)];
  const exporter: number[] = [];
  const bare: number[] = [];
  try {
    const first = await timeStart(directory, serve);
    for (let nth = 0; nth < times; nth++) {
      exporter.push(await timeStart(directory, serve));
      bare.push(await timeStart(directory, serveBare));
    }
    return { first, exporter: median(exporter), bare: median(bare) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function timeStart(
  directory: string,
  argumentsFor: (port: number) => readonly string[],
): Promise<number> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, argumentsFor(port), {
    cwd: directory,
    // An address where nobody answers: the platform has no part in this.
    env: {
      TMPDIR: directory,
      AGENT_PLATFORM_API_BASE_URL: 'http://127.0.0.1:9',
      AGENT_PLATFORM_API_KEY: 'not-a-key',
    },
    stdio: 'ignore',
  });
  try {
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended`);
      if (performance.now() - startedAt > GIVE_UP_MS) throw new Error('no scrape was answered');
      await wait(KNOCK_MS);
    }
    return performance.now() - startedAt;
  } finally {
    await endProgram(child);
  }
}

/** Whether a scrape was answered; false where nobody listens yet. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(REQUEST));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(text.startsWith('HTTP/1.1 200 ')));
  });
}
