import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Child, type Listener, startChild } from '../child.ts';
import type { Load, LoadResult } from '../messages.ts';
import { countSeries, fetchPrepared } from '../prepared-answer.ts';
import { median, ratiosOf, type Spread } from '../report/statistics.ts';
import { startClientGolang } from '../servers/client-golang.ts';
import { cpuSecondsOf, memoryOf, wantedSecondsOf } from '../usage.ts';

/** The servers to compare. */
export type ServerName = 'exporter' | 'node:http' | 'express' | 'prom-client' | 'client_golang';

export interface ScrapingOptions {
  /** The directory of the compiled benchmark. */
  readonly directory: string;
  readonly series: number;
  /** Servers that render their own registry at each scrape. */
  readonly registries: Registries;
  readonly rounds: number;
  /** Duration of one load on one server. */
  readonly milliseconds: number;
  readonly connections: number;
  /** What the exporter has to do during each of its loads, and how long these are; nothing by default. */
  readonly work?: { start(): Promise<void>; readonly milliseconds: number };
}

export interface Registries {
  readonly promClient: boolean;
  /** The path of the program; undefined leaves it out. */
  readonly clientGolang: string | undefined;
}

/** The results of a server: medians of its rounds, and the spread of the ratio; times in milliseconds. */
export interface ServerResult {
  readonly name: ServerName;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** The exporter's scrapes per second relative to this server's in the same round. */
  readonly ratio: Spread;
  /** CPU milliseconds of all threads per scrape. */
  readonly cpuMs: number;
  /** This server's CPU time per scrape relative to the exporter's in the same round. */
  readonly cpuRatio: Spread;
  /** The share of its loads in which its main thread ran or waited for a core: 1 if nothing but the server was slow. */
  readonly wanted: number;
  /** Bytes of an answer's body. */
  readonly bytes: number;
  /** Resident memory after the load, in bytes. */
  readonly resident: number;
}

/** A load, and what the server has used for it. */
interface Round extends LoadResult {
  readonly cpuMs: number;
  readonly wanted: number;
}

/** Minimum number of answers per round, for answers that take a large part of a second. */
const MIN_ANSWERS = 4;

/** Loads an exporter that has published and the servers it is compared with, in turn, round by round. */
export async function measureScraping(
  exporter: Listener,
  options: ScrapingOptions,
): Promise<readonly ServerResult[]> {
  const { directory, series } = options;
  const files = mkdtempSync(path.join(tmpdir(), 'bench-'));
  const children: { stop(): Promise<void> }[] = [];
  async function start(script: string, serverOptions: object): Promise<Child> {
    const child = await startChild(directory, script, serverOptions);
    children.push(child);
    return child;
  }
  try {
    const answer = path.join(files, 'answer.json');
    writeFileSync(answer, JSON.stringify(await fetchPrepared(exporter.port)));
    const servers = new Map<ServerName, Listener>([
      ['exporter', exporter],
      ['node:http', await start('servers/bare-http.js', { answer })],
      ['express', await start('servers/bare-express.js', { answer })],
    ]);
    const { promClient, clientGolang } = options.registries;
    if (promClient) servers.set('prom-client', await start('servers/prom-client.js', { series }));
    if (clientGolang !== undefined) {
      const server = await startClientGolang(clientGolang, series);
      children.push(server);
      servers.set('client_golang', server);
    }
    await requireSameSeries([...servers.values()]);
    return await runRounds(await start('load/client.js', {}), servers, options);
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    rmSync(files, { recursive: true });
  }
}

async function runRounds(
  client: Child,
  servers: ReadonlyMap<ServerName, Listener>,
  { rounds, milliseconds, connections, work }: ScrapingOptions,
): Promise<readonly ServerResult[]> {
  const results = new Map<ServerName, Round[]>([...servers.keys()].map((name) => [name, []]));
  // The first round only warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, { port, pid }] of servers) {
      const works = round > 0 && name === 'exporter' ? work : undefined;
      const time = works?.milliseconds ?? milliseconds;
      const load: Load = { port, connections, milliseconds: time, minAnswers: MIN_ANSWERS };
      const result = await measureLoad(pid, async () => {
        await works?.start();
        return client.ask<LoadResult>(load);
      });
      if (round > 0) results.get(name)?.push(result);
    }
  }
  const exporter = results.get('exporter') ?? [];
  return [...servers].map(([name, { pid }]) => {
    const own = results.get(name) ?? [];
    return {
      ...{ name, ...mediansOf(own), resident: memoryOf(pid).resident },
      ratio: ratiosOf(exporter.map(speed), own.map(speed)),
      cpuRatio: ratiosOf(own.map(cost), exporter.map(cost)),
    };
  });
}

async function measureLoad(pid: number, run: () => Promise<LoadResult>): Promise<Round> {
  const [cpu, wanted, startedAt] = [cpuSecondsOf(pid), wantedSecondsOf(pid), performance.now()];
  const result = await run();
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    ...result,
    cpuMs: ((cpuSecondsOf(pid) - cpu) * 1000) / result.answers,
    wanted: (wantedSecondsOf(pid) - wanted) / seconds,
  };
}

const FIGURES = ['perSecond', 'p50', 'p99', 'bytes', 'cpuMs', 'wanted'] as const;

function mediansOf(rounds: readonly Round[]): Pick<Round, (typeof FIGURES)[number]> {
  const medians = FIGURES.map((figure) => [figure, median(rounds.map((round) => round[figure]))] as const);
  return Object.fromEntries(medians) as Pick<Round, (typeof FIGURES)[number]>;
}

function speed({ perSecond }: Round): number {
  return perSecond;
}

function cost({ cpuMs }: Round): number {
  return cpuMs;
}

async function requireSameSeries(servers: readonly Listener[]): Promise<void> {
  const counts = new Set<number>();
  for (const { port } of servers) counts.add(await countSeries(port));
  if (counts.size !== 1) throw new Error(`the servers show ${[...counts].join(', ')} series`);
}
