import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { App } from '../../src/app/app.ts';
import { collectors } from '../../src/collectors/index.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createFiles } from '../../src/files/reader.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { readCron } from '../../src/scheduler/cron.ts';
import type { Ticker } from '../../src/scheduler/ticker.ts';
import { createWalkClock } from './clock.ts';

/** Noon of 2026-11-20, UTC. */
const START = Date.UTC(2026, 10, 20, 12);
const HISTORY_START = '2026-10-22';
const HOOKS_TOKEN = 'token-of-the-hooks';
const SEATS = 12;

/** Of days, with what is derived from them, and of documents. */
const COLLECTORS = new Set(['tokens', 'spend', 'readiness']);

export type WalkedExporter = Awaited<ReturnType<typeof startExporter>>;

/** Starts the exporter and the simulated platform in this process; resolves after the first run of each collector. */
export async function startExporter() {
  const folder = mkdtempSync(path.join(tmpdir(), 'walk-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const clock = createWalkClock(START);
  const ticker = createOneTicker(clock);
  const platform = createSandbox({ now: clock.now, users: 12, repos: 3, days: 60, orgs: 2 });
  const { url } = await platform.listen({ host: '127.0.0.1', port: 0 });
  for (const { name, keys } of platform.orgs) writeFileSync(path.join(folder, name), keys.owner);
  configure(SEATS);
  const files = createFiles(clock);
  const load = () =>
    loadConfig({
      flags: new Map(),
      environment: {
        AGENT_PLATFORM_CONFIG_FILE: path.join(folder, 'exporter.yaml'),
        AGENT_PLATFORM_HOOKS_TOKEN: HOOKS_TOKEN,
      },
      files,
      collectors,
    });
  const service = await App.open({
    config: await load(),
    loadConfig: load,
    version: '0.0.0',
    revision: 'walk',
    clock,
    random: () => 0.5,
    stderr: new PassThrough().resume(),
    simulated: false,
    files,
    ticker,
  });
  const { port } = await service.start();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** Writes the configuration file, in which the first organization has so many seats. */
  function configure(seats: number): void {
    const orgs = platform.orgs.map(({ name }, index) => ({
      name,
      base_url: url,
      app_url: url,
      api_key_file: name,
      seats: index === 0 ? seats : SEATS,
    }));
    const enabled = collectors.map(({ name }) => [name, { enabled: COLLECTORS.has(name) }] as const);
    // JSON is YAML.
    const text = JSON.stringify({
      orgs,
      collectors: Object.fromEntries(enabled),
      api: { requests_per_second: 1000 },
      schedule: { jitter: '0s' },
      history: { start: HISTORY_START },
      storage: { path: path.join(folder, 'history.db') },
      web: { listen_address: '127.0.0.1:0', enable_lifecycle: true },
    });
    writeFileSync(path.join(folder, 'exporter.yaml'), text);
  }

  /**
   * Sends a request on a connection that stays open, and resolves with the body; rejects on another status. It accepts
   * gzip, as Prometheus does.
   */
  async function send(method: string, where: string, expected: number, body?: object): Promise<string> {
    const headers = {
      authorization: `Bearer ${HOOKS_TOKEN}`,
      'content-type': 'application/json',
      'accept-encoding': 'gzip',
    };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request({ agent, method, host: '127.0.0.1', port, path: where, headers }, resolve);
    sent.on('error', reject).end(body && JSON.stringify(body));
    const response = await promise;
    const received = await buffer(response);
    const isZipped = response.headers['content-encoding'] === 'gzip';
    const text = String(isZipped ? gunzipSync(received) : received);
    if (response.statusCode !== expected)
      throw new Error(`${method} ${where}: ${response.statusCode} ${text}`);
    await settle();
    return text;
  }

  async function stop(): Promise<void> {
    agent.destroy();
    await service.stop();
    await platform.close();
  }

  const exporter = { clock, ticker, service, seats: SEATS, configure, send, stop };
  while (!hasRun()) await nextTurn();
  await service.flush();
  // Opens the connection.
  await send('GET', '/-/healthy', 200);
  return exporter;

  function hasRun(): boolean {
    const states = service.status().orgs.flatMap((org) => org.collectors.map(({ state }) => state));
    if (states.includes('failing')) throw new Error('a collector fails');
    return states.every((state) => state === 'ok');
  }
}

/** Lets what follows an answer run: the server learns in a later turn of the event loop that it was sent. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
}

/** Creates a ticker that ticks on demand, for the job whose schedule with that expression was started first. */
function createOneTicker(clock: { now(): number }): Ticker & { tick(expression: string): void } {
  const listeners = new Map<string, () => void>();
  return {
    start(expression, onTick) {
      if (!listeners.has(expression)) listeners.set(expression, onTick);
      return { next: (after) => readCron(expression).next(after ?? clock.now()), stop: () => undefined };
    },
    onJump: () => undefined,
    tick: (expression) => listeners.get(expression)?.(),
  };
}
