import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { keepLog } from '../support/logs.ts';
import { runHere } from './here.ts';

const bin = fileURLToPath(new URL('../../bin/agent-platform-exporter.js', import.meta.url));

const STANDING = 'process.uptime = () => 0; const set = setTimeout;';

/** Preloaded into the program: controls its timers, so that no deadline is a race with a busy machine. */
const TIMES = {
  /** The clock does not advance, and long timers are 20 times as long: nothing is cut short. */
  standing: `${STANDING} globalThis.setTimeout = (run, ms, ...args) => set(run, ms < 1000 ? ms : 20 * ms, ...args);`,
  /** The same, but the time limit of the input, which is the first long timer, expires at once. */
  'input is over': `${STANDING} let isOver = false; globalThis.setTimeout = (run, ms, ...args) => {
    if (ms < 1000 || isOver) return set(run, ms < 1000 ? ms : 20 * ms, ...args);
    isOver = true;
    return set(run, 0, ...args);
  };`,
  real: undefined,
} as const;

/** The result of a run of the program. */
export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface HookRun {
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The text on standard input when the program begins; `open`: it is never closed. */
  readonly input?: string | { readonly open: string };
  /** Called with the running process, and awaited. */
  readonly started?: (child: ChildProcess) => unknown;
  /** `standing` by default. */
  readonly time?: keyof typeof TIMES;
}

/** A home directory with settings, in which the real program is run. */
export interface Home {
  readonly folder: string;
  readonly state: string;
  write(name: string, text: string): string;
  run(command: string, run?: HookRun): Promise<Ran>;
  /** Runs a command of people in this process, with the same environment. */
  runHere(command: string, run?: Pick<HookRun, 'args' | 'environment'>): ReturnType<typeof runHere>;
  /** Ends the processes that still run in it, and removes it. */
  remove(): void;
}

/** Creates a home directory with these settings, if any. */
export function createHome(settings?: string): Home {
  const folder = mkdtempSync(path.join(tmpdir(), 'hook-home-'));
  const state = path.join(folder, 'state');
  const running = new Set<ChildProcess>();
  function write(name: string, text: string): string {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return file;
  }
  if (settings !== undefined) write('hooks.yaml', settings);
  const own = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    AGENT_PLATFORM_HOOK_STATE_DIR: state,
    ...(settings === undefined ? {} : { AGENT_PLATFORM_HOOK_CONFIG: path.join(folder, 'hooks.yaml') }),
  };
  return {
    folder,
    state,
    write,
    async run(command, { args = [], environment = {}, input = '', started, time = 'standing' } = {}) {
      const shim = TIMES[time];
      const preload = shim === undefined ? [] : [`--import=data:text/javascript,${encodeURIComponent(shim)}`];
      const program = [process.execPath, ...preload, bin, command, ...args];
      // It begins once its input is there: the time until this process has written it is none of its own.
      const child = spawn('/bin/sh', ['-c', 'read -r begin; exec "$@"', 'sh', ...program], {
        env: { ...COMPILE_CACHE, ...own, ...environment },
      });
      running.add(child);
      const said = { stdout: '', stderr: '' };
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        said.stdout += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said.stderr += text;
      });
      keepLog([command, ...args].join(' '), () => said.stdout + said.stderr);
      child.stdin.on('error', () => undefined);
      if (typeof input === 'string') child.stdin.end(`\n${input}`);
      else child.stdin.write(`\n${input.open}`);
      const closed = once(child, 'close');
      await started?.(child);
      const [code, signal] = (await closed) as [number | null, NodeJS.Signals | null];
      running.delete(child);
      return { code, signal, ...said };
    },
    runHere: (command, { args = [], environment = {} } = {}) =>
      runHere([command, ...args], { ...own, ...environment }),
    remove() {
      for (const child of running) child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A request received by a listener. */
interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server on a free port that records what it receives. */
export interface Listener {
  readonly url: string;
  readonly received: readonly Received[];
  /**
   * Decides the answer, 202 by default. Without a body, a 202 has that of the hook intake when it accepts all events, and
   * any other status `{}`. Undefined: no answer at all.
   */
  answer: (request: Received, nth: number) => { readonly status: number; readonly body?: string } | undefined;
  close(): Promise<void>;
}

/** The hook intake's answer when it accepts every event of a body. */
export function taken(body: string): string {
  let events: unknown;
  try {
    ({ events } = JSON.parse(body));
  } catch {
    return '{}';
  }
  const accepted = Array.isArray(events) ? events.length : 1;
  return JSON.stringify({ accepted, duplicates: 0, rejected: 0 });
}

/** Starts a listener. */
export async function createListener(): Promise<Listener> {
  const received: Received[] = [];
  const listener = {
    answer: (() => ({ status: 202 })) as Listener['answer'],
  };
  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const got = { path: request.url ?? '', headers: request.headers, body };
      received.push(got);
      const answer = listener.answer(got, received.length);
      if (answer === undefined) return;
      response.writeHead(answer.status).end(answer.body ?? (answer.status === 202 ? taken(body) : '{}'));
    });
  }
  const server: Server = createServer(onRequest);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return Object.assign(listener, {
    url: `http://127.0.0.1:${port}`,
    received,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
