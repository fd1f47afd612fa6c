import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Child, startChild } from '../child.ts';
import type { Load, Loaded } from '../load/client.ts';
import { familiesIn, isSynced, seriesIn } from '../page.ts';
import { configure, startPlatform } from '../platform.ts';
import { buildClientGolang, startClientGolang } from '../servers/client-golang.ts';
import type { RepeatedAnswer } from '../servers/express.ts';
import { environmentOf, type Service, startService } from '../service.ts';
import { median } from '../statistics.ts';
import { ranSecondsOf } from '../usage.ts';
import { type Case, type CaseContext, recordAnswers, recordMemory, recordTime } from './case.ts';

interface Size {
  readonly series: number;
  readonly runs: number;
  /** Bounds in milliseconds and MiB. */
  readonly block: number;
  readonly resident: number;
  /** Whether exporters that render their own registry are measured too. */
  readonly registries: boolean;
  readonly rounds: number;
}

/** A server that is loaded. */
interface Loadable {
  readonly port: number;
  readonly pid: number;
}

/** A repository has a report with about this many series. */
const SERIES_PER_REPOSITORY = 240;
/** Nothing is folded or dropped, and each criterion has three series. */
const settings = (values: number) =>
  `limits: {series: 100000000, values_per_label: ${values}}\nreadiness: {criterion_counts: true}\n`;
const ALL_VALUES = 1_000_000;
/** The headers that node:http itself adds to every answer. */
const OWN_HEADERS = new Set(['date', 'connection', 'keep-alive']);
const CONNECTIONS = 4;
/** Long against an answer, and short against the time for which a machine keeps its speed. */
const SLICE_MS = 100;
/**
 * A bare route has no limits of connections, takes requests as fast as they are sent, and negotiates nothing. Node.js parses
 * without JavaScript only where nothing looks at the bytes before.
 */
const AGAINST_EXPRESS = { atLeast: 0.6 };
const AGAINST_REGISTRIES = { atLeast: 500 };
const COMPRESSED = { atMost: 1.1 };

/** `serve` with one organization of many repositories: memory, a publication, scrapes against other servers. */
export function scrapesCase(size: Size): Case {
  return {
    name: `scrapes-${size.series}`,
    what: `An organization with about ${size.series} series: memory, a publication of everything because a limit has changed, and scrapes by ${CONNECTIONS} connections against a bare express route with the same bytes${size.registries ? ', and against prom-client and client_golang with the same series' : ''}. Client and servers have a core each.`,
    runs: size.runs,
    measure: (context) => measure(context, size),
  };
}

async function measure(context: CaseContext, size: Size): Promise<void> {
  const { checkout, helper, record, folder, profiles } = context;
  const repos = Math.max(1, Math.round(size.series / SERIES_PER_REPOSITORY));
  const platform = await startPlatform(helper.program, { orgs: 1, users: 5, repos, days: 15 });
  await using stack = new AsyncDisposableStack();
  stack.use(platform);
  const config = configure(folder, platform, settings(ALL_VALUES));
  const flags = ['--collector.users', '--schedule.jitter=0', '--api.requests-per-second=1000'];
  const service = stack.use(
    await startService(checkout, { folder, profiles, args: [`--config.file=${config}`, ...flags] }),
  );
  const sync = await service.phase((page) => isSynced(page, 1));
  recordTime(record, 'first sync', sync);
  recordAnswers(record, 'first sync', sync);
  await recordMemory(record, service.memory, size.resident);
  const before = seriesIn(await service.page());
  record('series', '', before);
  const publication = await service.phase(
    (page) => seriesIn(page) !== before,
    async () => {
      // One repository fewer has a name of its own.
      configure(folder, platform, settings(Math.max(1, repos - 1)));
      await service.post('/-/reload');
    },
  );
  recordTime(record, 'publication', publication);
  recordAnswers(record, 'publication', publication, size.block);
  const page = await service.page();
  const { body } = await service.scrape();
  record(
    'bytes of a scrape against gzip -6',
    '×',
    body.length / gzipSync(page, { level: 6 }).length,
    COMPRESSED,
  );
  await platform[Symbol.asyncDispose]();
  await compare(service, size, { checkout, record, folder, page });
}

async function compare(
  service: Service,
  { registries, rounds }: Size,
  {
    checkout,
    record,
    folder,
    page,
  }: Pick<CaseContext, 'checkout' | 'record' | 'folder'> & { readonly page: string },
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  async function start(script: string, options: object, environment?: NodeJS.ProcessEnv): Promise<Child> {
    const child = await startChild(script, options, environment);
    stack.defer(() => child.stop());
    return child;
  }
  const client = await start('load/client.ts', {});
  // What the image gives Node.js for the sake of memory slows both alike.
  const express = await start('servers/express.ts', await repeated(service, folder), environmentOf(checkout));
  pin(client.pid, 0);
  for (const { pid } of [service, express]) pin(pid, 1);
  const [own, bare] = await loadInTurn(client, service, express, rounds);
  record('scrapes per second', '1/s', median(own.perSecond));
  record('CPU of a scrape', 'µs', median(own.cpuPerScrape) * 1e6);
  record('scrapes against a bare express route', '×', ratio(own.perSecond, bare.perSecond), AGAINST_EXPRESS);
  record('CPU of a scrape against it', '×', ratio(own.cpuPerScrape, bare.cpuPerScrape));
  if (!registries) return;
  const families = path.join(folder, 'families.jsonl');
  writeFileSync(
    families,
    familiesIn(page)
      .map((family) => `${JSON.stringify(family)}\n`)
      .join(''),
  );
  const promClient = await start('servers/prom-client.ts', { families });
  await against('prom-client', promClient);
  const program = buildClientGolang(folder);
  if (program === undefined) return;
  const golang = await startClientGolang(program, families);
  stack.defer(() => golang.stop());
  await against('client_golang', golang);

  async function against(name: string, server: Loadable): Promise<void> {
    pin(server.pid, 1);
    const [measured, other] = await loadInTurn(client, service, server, 1);
    record(`scrapes against ${name}`, '×', ratio(measured.perSecond, other.perSecond), AGAINST_REGISTRIES);
  }
}

/** The slices of a server in their order. */
interface Slices {
  readonly perSecond: number[];
  /** CPU seconds of all threads. */
  readonly cpuPerScrape: number[];
}

/** Loads two servers in slices: A B B A, and again. */
async function loadInTurn(
  client: Child,
  one: Loadable,
  other: Loadable,
  rounds: number,
): Promise<readonly [Slices, Slices]> {
  const results = [
    { perSecond: [], cpuPerScrape: [] },
    { perSecond: [], cpuPerScrape: [] },
  ] as const satisfies readonly Slices[];
  async function load({ port, pid }: Loadable, slices: Slices): Promise<void> {
    const before = ranSecondsOf(pid);
    const wanted: Load = { port, connections: CONNECTIONS, milliseconds: SLICE_MS };
    const { answers, perSecond } = await client.ask<Loaded>(wanted);
    slices.perSecond.push(perSecond);
    slices.cpuPerScrape.push((ranSecondsOf(pid) - before) / answers);
  }
  for (let round = 0; round < rounds; round++) {
    await load(one, results[0]);
    await load(other, results[1]);
    await load(other, results[1]);
    await load(one, results[0]);
  }
  return results;
}

function ratio(own: readonly number[], other: readonly number[]): number {
  return median(own.map((value, index) => value / (other[index] ?? Number.NaN)));
}

async function repeated(service: Service, folder: string): Promise<RepeatedAnswer> {
  const answer = await service.scrape();
  const body = path.join(folder, 'answer.gz');
  writeFileSync(body, answer.body);
  const headers: string[] = [];
  for (let index = 0; index < answer.headers.length; index += 2) {
    const [name = '', value = ''] = answer.headers.slice(index, index + 2);
    if (!OWN_HEADERS.has(name.toLowerCase())) headers.push(name, value);
  }
  return { headers, body };
}

/** Moves a process to one core, where that is possible: sending costs up to twice as much beside the receiver. */
function pin(pid: number, core: number): void {
  if (availableParallelism() < 2) return;
  spawnSync('taskset', ['--all-tasks', '--pid', '--cpu-list', String(core), String(pid)]);
}
