import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Child, type Listener, startChild } from '../child.ts';
import { countSeries, fetchPrepared } from '../prepared-answer.ts';
import { startClientGolang } from '../servers/client-golang.ts';
import { type ComparingOptions, compareServers, type ServerName, type ServerResult } from './comparison.ts';

export interface ScrapingOptions extends ComparingOptions {
  /** The directory of the compiled benchmark. */
  readonly directory: string;
  readonly series: number;
  /** Servers that render their own registry at each scrape. */
  readonly registries: Registries;
}

export interface Registries {
  readonly promClient: boolean;
  /** The path of the program; undefined leaves it out. */
  readonly clientGolang: string | undefined;
}

/** Loads an exporter that has published and the servers that it is compared with, in turns. */
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
    return await compareServers(await start('load/client.js', {}), servers, options);
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    rmSync(files, { recursive: true });
  }
}

async function requireSameSeries(servers: readonly Listener[]): Promise<void> {
  const counts = new Set<number>();
  for (const { port } of servers) counts.add(await countSeries(port));
  if (counts.size !== 1) throw new Error(`the servers show ${[...counts].join(', ')} series`);
}
