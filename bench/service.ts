import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Checkout } from './checkout.ts';
import { nextMessage, startChild } from './child.ts';
import type { Answered, Asking } from './load/asker.ts';
import type { Stalls } from './load/stalls.ts';
import { endProgram, freePort } from './programs.ts';
import { quantile } from './statistics.ts';
import { cpuSecondsOf, memoryOf, waitedSecondsOf } from './usage.ts';

/** What one phase of the program took; answers and turns of the event loop in milliseconds, from the first answer on. */
export interface Phase extends Stalls {
  /** Until the page was complete. */
  readonly seconds: number;
  /** Until `/-/ready` answered 200; NaN if it did before the phase. */
  readonly readySeconds: number;
  /** CPU time of the program until then, all threads. */
  readonly cpuSeconds: number;
  /** The time until then in which the main thread waited for a core, because the machine had other work. */
  readonly waitedSeconds: number;
  /** The 99th percentile of the answers of `/metrics` and `/-/healthy`. */
  readonly p99: number;
}

interface ServiceOptions {
  /** A folder of its own. */
  readonly folder: string;
  readonly args: readonly string[];
  /** The flag of the store; a file in the folder by default. */
  readonly storage?: string;
  /** A folder for CPU profiles, if they are wanted. */
  readonly profiles?: string | undefined;
}

/** `serve` of a checkout; its phases begin here and after the one before. */
export interface Service extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  page(): Promise<string>;
  /** The answer to a scrape: alternating names and values of its headers, and its compressed body. */
  scrape(): Promise<{ readonly headers: readonly string[]; readonly body: Buffer }>;
  memory(): { readonly resident: number; readonly peak: number };
  post(route: string): Promise<void>;
  /** Resolves once the page is complete and was observed for long enough, with what was seen since `begin`, or since the phase before. */
  phase(isComplete: (page: string) => boolean, begin?: () => Promise<void>): Promise<Phase>;
  /** Resolves with the seconds from SIGTERM to the exit. */
  stop(): Promise<number>;
}

/**
 * What Node.js gives itself in a container of 1 GiB. Without a limit V8 lets garbage grow to four times what is alive before it
 * collects, so that resident memory would be the machine's, not the program's.
 */
const AS_IN_A_CONTAINER = '--max-old-space-size=512';
/** A phase is observed for this long from its first answer, so that a 99th percentile is more than the slowest one. */
const OBSERVED_MS = 10_000;
/** Pause between two reads of the page for progress, in milliseconds, and relative to what a read takes. */
const LOOK_MS = 100;
const LOOK_SHARE = 4;
const GIVE_UP_MS = 30 * 60_000;

/** The environment of the measured program: that of the image, in a container. */
export function environmentOf({ environment }: Checkout): NodeJS.ProcessEnv {
  const options = `${environment['NODE_OPTIONS']} ${AS_IN_A_CONTAINER}`;
  return { ...process.env, ...environment, NODE_OPTIONS: options };
}

/** Starts `serve`. */
export async function startService(
  checkout: Checkout,
  { folder, args, storage = `--storage.path=${path.join(folder, 'history.db')}`, profiles }: ServiceOptions,
): Promise<Service> {
  const asker = await startChild('load/asker.ts');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const profiling = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
  let began = performance.now();
  const child = spawn(
    process.execPath,
    [
      '--import',
      stallsModule(folder),
      ...profiling,
      checkout.program,
      'serve',
      ...args,
      storage,
      `--web.listen-address=127.0.0.1:${port}`,
      '--web.enable-lifecycle',
      '--log.level=error',
    ],
    {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: environmentOf(checkout),
    },
  );
  const { pid = 0 } = child;
  const agent = new Agent({ keepAlive: true });
  let used = { cpu: 0, waited: 0 };
  let answers = false;
  let isReady = false;

  function scrape(): Promise<{ readonly headers: readonly string[]; readonly body: Buffer }> {
    return new Promise((resolve, reject) => {
      const headers = { 'accept-encoding': 'gzip' };
      get(`${url}/metrics`, { agent, headers }, (response) =>
        buffer(response).then((body) => resolve({ headers: response.rawHeaders, body }), reject),
      ).on('error', reject);
    });
  }

  function usage() {
    return { cpu: cpuSecondsOf(pid), waited: waitedSecondsOf(pid) };
  }

  async function page(): Promise<string> {
    return gunzipSync((await scrape()).body).toString();
  }

  async function looksReady(): Promise<boolean> {
    const answer = await fetch(`${url}/-/ready`).catch(() => undefined);
    await answer?.text();
    return answer?.status === 200;
  }

  /** Reads the page until it is complete and the service ready, at most a fifth of the time. */
  async function whenComplete(isComplete: (page: string) => boolean) {
    let [answeredAt, readyAt, completeAt] = [Number.NaN, Number.NaN, Number.NaN];
    while (true) {
      const lookedAt = performance.now();
      if (!isReady && (await looksReady())) {
        isReady = true;
        readyAt = performance.now();
      }
      const text = await page().catch(() => undefined);
      if (text !== undefined) {
        // What precedes the first answer is the start.
        if (!answers) await stallsOf(child);
        answers = true;
        if (Number.isNaN(answeredAt)) answeredAt = performance.now();
        if (Number.isNaN(completeAt) && isComplete(text)) completeAt = performance.now();
        if (isReady && !Number.isNaN(completeAt)) return { answeredAt, readyAt, completeAt };
      }
      if (child.exitCode !== null) throw new Error('serve ended');
      if (performance.now() - began > GIVE_UP_MS) throw new Error('the page is not complete');
      await pause(Math.max(LOOK_MS, (performance.now() - lookedAt) * LOOK_SHARE));
    }
  }

  async function stop(): Promise<number> {
    agent.destroy();
    const askedAt = performance.now();
    await endProgram(child);
    return (performance.now() - askedAt) / 1000;
  }

  return {
    pid,
    port,
    page,
    scrape,
    memory: () => memoryOf(pid),
    async post(route) {
      const answer = await fetch(`${url}${route}`, { method: 'POST' });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${route} answered ${answer.status}: ${text}`);
    },
    async phase(isComplete, begin) {
      await asker.ask({ port } satisfies Asking);
      if (begin !== undefined) {
        await stallsOf(child);
        used = usage();
        began = performance.now();
        await begin();
      }
      const since = began;
      const { answeredAt, readyAt, completeAt } = await whenComplete(isComplete);
      const doneAt = performance.now();
      const { cpu, waited } = usage();
      const [cpuSeconds, waitedSeconds] = [cpu - used.cpu, waited - used.waited];
      await pause(Math.max(0, answeredAt + OBSERVED_MS - doneAt));
      const { times } = await asker.ask<Answered>({} satisfies Asking);
      const stalls = await stallsOf(child);
      used = usage();
      began = performance.now();
      return {
        ...stalls,
        seconds: (completeAt - since) / 1000,
        readySeconds: (readyAt - since) / 1000,
        cpuSeconds,
        waitedSeconds,
        p99: quantile(times, 0.99),
      };
    },
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      await asker.stop();
    },
  };
}

/** The module that is loaded into the program, as JavaScript: Node's own TypeScript support would count as its memory. */
function stallsModule(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'stalls.mjs');
  const source = path.join(import.meta.dirname, 'load', 'stalls.ts');
  writeFileSync(file, stripTypeScriptTypes(readFileSync(source, 'utf8')));
  return pathToFileURL(file).href;
}

/** How long the event loop was blocked since the last call. */
function stallsOf(child: ChildProcess): Promise<Stalls> {
  const answer = nextMessage<Stalls>(child);
  child.send({});
  return answer;
}
