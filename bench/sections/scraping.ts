import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Child, startChild } from '../child.ts';
import type { Load, LoadResult, Memory, Question } from '../messages.ts';
import { countSeries, fetchPrepared } from '../prepared-answer.ts';
import { median, ratiosOf, type Spread } from '../report/statistics.ts';

/** The servers to compare. */
export type ServerName = 'exporter' | 'node:http' | 'express' | 'prom-client';

export interface ScrapingOptions {
  /** The directory of the compiled benchmark. */
  readonly directory: string;
  readonly series: number;
  readonly withPromClient: boolean;
  readonly rounds: number;
  /** Duration of one load on one server. */
  readonly milliseconds: number;
  readonly connections: number;
}

/** The results of a server: medians of its rounds, and the spread of the ratio; times in milliseconds. */
export interface ServerResult {
  readonly name: ServerName;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** The exporter's scrapes per second relative to this server's in the same round. */
  readonly ratio: Spread;
  /** Bytes of an answer's body. */
  readonly bytes: number;
  /** Resident memory after the load, in bytes. */
  readonly resident: number;
}

/** Minimum number of answers per round, for answers that take a large part of a second. */
const MIN_ANSWERS = 4;

/** Loads an exporter that has published and the servers it is compared with, in turn, round by round. */
export async function measureScraping(
  exporter: Child,
  options: ScrapingOptions,
): Promise<readonly ServerResult[]> {
  const { directory, series } = options;
  const files = mkdtempSync(path.join(tmpdir(), 'bench-'));
  const children: Child[] = [];
  async function start(script: string, serverOptions: object): Promise<Child> {
    const child = await startChild(directory, script, serverOptions);
    children.push(child);
    return child;
  }
  try {
    const answer = path.join(files, 'answer.json');
    writeFileSync(answer, JSON.stringify(await fetchPrepared(exporter.port)));
    const servers = new Map<ServerName, Child>([
      ['exporter', exporter],
      ['node:http', await start('servers/bare-http.js', { answer })],
      ['express', await start('servers/bare-express.js', { answer })],
    ]);
    if (options.withPromClient) servers.set('prom-client', await start('servers/prom-client.js', { series }));
    await requireSameSeries([...servers.values()]);
    return await runRounds(await start('load/client.js', {}), servers, options);
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    rmSync(files, { recursive: true });
  }
}

async function runRounds(
  client: Child,
  servers: ReadonlyMap<ServerName, Child>,
  { rounds, milliseconds, connections }: ScrapingOptions,
): Promise<readonly ServerResult[]> {
  const results = new Map<ServerName, LoadResult[]>([...servers.keys()].map((name) => [name, []]));
  // The first round only warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, { port }] of servers) {
      const load: Load = { port, connections, milliseconds, minAnswers: MIN_ANSWERS };
      const result = await client.ask<LoadResult>(load);
      if (round > 0) results.get(name)?.push(result);
    }
  }
  return Promise.all(
    [...servers].map(async ([name, server]) => {
      const { resident } = await server.ask<Memory>({ kind: 'memory' } satisfies Question);
      const own = results.get(name) ?? [];
      const ratio = ratiosOf((results.get('exporter') ?? []).map(speed), own.map(speed));
      return { name, resident, ...mediansOf(own), ratio };
    }),
  );
}

function mediansOf(rounds: readonly LoadResult[]): Pick<LoadResult, 'perSecond' | 'p50' | 'p99' | 'bytes'> {
  const of = (figure: 'perSecond' | 'p50' | 'p99' | 'bytes') => median(rounds.map((round) => round[figure]));
  return { perSecond: of('perSecond'), p50: of('p50'), p99: of('p99'), bytes: of('bytes') };
}

function speed({ perSecond }: LoadResult): number {
  return perSecond;
}

async function requireSameSeries(servers: readonly Child[]): Promise<void> {
  const counts = new Set<number>();
  for (const { port } of servers) counts.add(await countSeries(port));
  if (counts.size !== 1) throw new Error(`the servers show ${[...counts].join(', ')} series`);
}
