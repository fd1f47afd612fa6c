import { type ChildProcess, spawn } from 'node:child_process';
import { Agent, get } from 'node:http';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Built } from '../build.ts';
import { nextMessage, startChild } from '../child.ts';
import type { Answered, Asking, Stalls } from '../messages.ts';
import { endProgram, freePort } from '../programs.ts';
import { cpuSecondsOf, memoryOf } from '../usage.ts';

/** What one phase of the program took. */
export interface Phase extends Answered {
  /** Until the page was complete. */
  readonly seconds: number;
  /** CPU time of the program until then, all threads. */
  readonly cpuSeconds: number;
  /** Until the page had what it had before, where that comes earlier. */
  readonly fullSeconds: number;
  /** From the first answered request on. */
  readonly stalls: Stalls;
}

/** When a phase begins and ends. */
interface PhaseBounds {
  /** Whether the page is complete. */
  isComplete(page: string): boolean;
  /** Whether it has what it had before; the same by default. */
  isFull?(page: string): boolean;
  /** Begins the phase; by default it has begun with the end of the one before. */
  begin?(): Promise<void>;
}

/** A running program that is measured. */
export type Measured = Awaited<ReturnType<typeof start>>;

/** A phase is observed for this long from its first answer, so that a 99th percentile is more than the slowest one. */
const OBSERVED_MS = 10_000;
/** Nothing happens for so long before work that usually begins an hour after the last: memory is compacted at rest. */
const REST_MS = 15_000;
/** Pause between two reads of the page for progress, in milliseconds, and relative to what a read takes. */
const LOOK_MS = 100;
const LOOK_SHARE = 4;
/** As the container image and the systemd unit run it. */
const INSTALLED = { NODE_OPTIONS: '--max-semi-space-size=8' };
const GIVE_UP_MS = 20 * 60_000;

/** Starts the program; its phases begin here and after the one before. */
export async function start(
  { bench, program }: Built,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  const asker = await startChild(bench, 'load/asker.js');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let began = performance.now();
  const stalls = pathToFileURL(path.join(bench, 'bench', 'load', 'stalls.js')).href;
  const child = spawn(
    process.execPath,
    ['--import', stalls, program, ...args, `--web.listen-address=127.0.0.1:${port}`],
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: { ...process.env, ...INSTALLED, ...environment } },
  );
  const { pid = 0 } = child;
  const agent = new Agent({ keepAlive: true });
  let cpuBefore = 0;
  let isStarted = false;

  async function ask(route: string, headers: Readonly<Record<string, string>> = {}): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      get(`${url}${route}`, { agent, headers }, (response) => buffer(response).then(resolve, reject)).on(
        'error',
        reject,
      );
    });
  }
  const compressedPage = () => ask('/metrics', { 'accept-encoding': 'gzip' });
  const page = async () => gunzipSync(await compressedPage()).toString();

  async function endAll(): Promise<void> {
    agent.destroy();
    await endProgram(child);
    await asker.stop();
  }

  /** Reads the page until it is complete, at most a fifth of the time; resolves with the times of the first and the full one. */
  async function whenComplete({ isComplete, isFull = isComplete }: PhaseBounds) {
    let answeredAt: number | undefined;
    let fullAt: number | undefined;
    while (true) {
      const lookedAt = performance.now();
      const text = await page().catch(() => undefined);
      // What precedes the first answer is the start.
      if (text !== undefined && !isStarted) await stallsOf(child);
      isStarted ||= text !== undefined;
      if (text !== undefined) {
        answeredAt ??= performance.now();
        if (isFull(text)) fullAt ??= performance.now();
        if (isComplete(text)) return { answeredAt, fullAt: fullAt ?? performance.now() };
      }
      if (child.exitCode !== null) throw new Error('serve ended');
      if (performance.now() - began > GIVE_UP_MS) throw new Error('the page is not complete');
      await pause(Math.max(LOOK_MS, (performance.now() - lookedAt) * LOOK_SHARE));
    }
  }

  return {
    port,
    pid,
    page,
    compressedSize: async () => (await compressedPage()).length,
    memory: () => memoryOf(pid),
    async post(route: string, token = '', body?: object): Promise<void> {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const message = body === undefined ? {} : { headers, body: JSON.stringify(body) };
      const answer = await fetch(`${url}${route}`, { method: 'POST', ...message });
      await answer.text();
      if (!answer.ok) throw new Error(`${route} answered ${answer.status}`);
    },
    /**
     * Resolves once the page is complete and was observed for long enough, with what was seen until then. What begins
     * the phase is called after a rest, which is observed too.
     */
    async phase(bounds: PhaseBounds): Promise<Phase> {
      await asker.ask({ port } satisfies Asking);
      if (bounds.begin !== undefined) {
        await pause(REST_MS);
        cpuBefore = cpuSecondsOf(pid);
        began = performance.now();
        await bounds.begin();
      }
      const { answeredAt, fullAt } = await whenComplete(bounds);
      const completeAt = performance.now();
      const cpuSeconds = cpuSecondsOf(pid) - cpuBefore;
      await pause(Math.max(0, answeredAt + OBSERVED_MS - completeAt));
      const { p99, slowest } = await asker.ask<Answered>({} satisfies Asking);
      const blocked = await stallsOf(child);
      const [seconds, fullSeconds] = [(completeAt - began) / 1000, (fullAt - began) / 1000];
      cpuBefore = cpuSecondsOf(pid);
      began = performance.now();
      return { seconds, fullSeconds, cpuSeconds, p99, slowest, stalls: blocked };
    },
    [Symbol.asyncDispose]: endAll,
    /** Resolves with the seconds from SIGTERM to the exit. */
    async stop(): Promise<number> {
      agent.destroy();
      const askedAt = performance.now();
      await endProgram(child);
      return (performance.now() - askedAt) / 1000;
    },
  };
}

/** How long the event loop was blocked since the last call. */
function stallsOf(child: ChildProcess): Promise<Stalls> {
  const answer = nextMessage<Stalls>(child);
  child.send({});
  return answer;
}
