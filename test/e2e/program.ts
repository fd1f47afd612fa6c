import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { keepLog } from '../support/logs.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Page, readPage } from './page.ts';

const bin = fileURLToPath(new URL('../../bin/agent-platform-exporter.js', import.meta.url));

/** The real program as a process of its own, which ends with the test. */
export interface Program {
  readonly process: ChildProcess;
  readonly platform: Sandbox;
  page(): Promise<Page>;
  get(path: string, init?: RequestInit): Promise<Response>;
  log(): string;
}

/** Changes an answer of the platform: its body as JSON, and what was asked for. */
export type Rewrite = (body: Record<string, unknown>, url: URL) => unknown;

/** What else may be wanted of the machine that the program runs on. */
export interface Machine {
  /** The platform's own clock, in milliseconds since the epoch. */
  readonly now?: () => number;
  /** Arguments of Node, such as a module to load first. */
  readonly nodeArguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts the program on a simulated platform whose answers are changed on their way; resolves once it serves. */
export async function startProgram(
  flags: readonly string[],
  rewrite: Rewrite = (body) => body,
  { now = Date.now, nodeArguments = [], environment = {} }: Machine = {},
): Promise<Program> {
  const platform = createSandbox({ now, users: 40, repos: 6 });
  const behind = await platform.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => platform.close());
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await fetch(behind.url + request.url, {
      headers: { authorization: request.headers.authorization ?? '' },
    });
    const url = new URL(request.url ?? '/', behind.url);
    const body = answer.ok
      ? rewrite((await answer.json()) as Record<string, unknown>, url)
      : await answer.json();
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }
  const before = createServer((request, response) => {
    // The platform may end while the program still asks.
    pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => before.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        before.close(() => resolve());
        before.closeAllConnections();
      }),
  );
  const url = `http://127.0.0.1:${(before.address() as AddressInfo).port}`;
  const isStored = flags.some((flag) => flag.startsWith('--storage.path='));
  const common = [
    ...['--web.listen-address=127.0.0.1:0', '--schedule.jitter=0'],
    ...(isStored ? [] : ['--storage.path=:memory:']),
  ];
  const child = spawn(process.execPath, [...nodeArguments, bin, 'serve', ...common, ...flags], {
    env: {
      AGENT_PLATFORM_API_BASE_URL: url,
      AGENT_PLATFORM_API_KEY: platform.orgs[0]?.keys.owner ?? '',
      AGENT_PLATFORM_API_REQUESTS_PER_SECOND: '1000',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    log += text;
  });
  keepLog('the program', () => log);
  const port = await waitFor(
    () => {
      if (child.exitCode !== null) throw new Error('the program has ended');
      return /Serving.* port=(\d+)/.exec(log)?.[1] ?? false;
    },
    { what: 'the program says where it serves', seen: () => log },
  );
  const here = `http://127.0.0.1:${port}`;
  return {
    process: child,
    platform,
    page: async () => readPage(await (await fetch(`${here}/metrics`)).text()),
    get: (path, init) => fetch(here + path, init),
    log: () => log,
  };
}

/** The page once each of these collectors has run. */
export function pageAfterRuns(program: Program, collectors: readonly string[]): Promise<Page> {
  return waitFor(
    async () => {
      const page = await program.page();
      const ran = page.by('collector', 'agent_platform_exporter_collector_success');
      return collectors.every((collector) => ran[collector] !== undefined) && page;
    },
    { what: `runs of ${collectors.join(', ')}`, seen: program.log },
  );
}
