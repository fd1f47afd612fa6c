import type { ServerName, ServerResult } from '../sections/comparison.ts';
import type { ServingResult } from '../sections/serving.ts';
import type { SizeResult } from '../sections/size.ts';
import type { StartingResult } from '../sections/starting.ts';
import { grouped, mebibytes, renderTable, shown, shownSpread } from './table.ts';

const TITLES: Readonly<Record<ServerName, string>> = {
  exporter: 'this exporter',
  'node:http': 'bare node:http, the same bytes',
  express: 'bare express route, the same bytes',
  'prom-client': 'express with prom-client, the same series',
  client_golang: 'client_golang, the same series',
};

/** The scrapes of one number of series. */
export function renderScraping({ publishing, servers }: SizeResult): string {
  const [exporter] = servers;
  const rows = servers.map((server) => [
    TITLES[server.name],
    shown(server.perSecond),
    server === exporter ? '' : `${shownSpread(server.ratio)} ×`,
    shown(server.cpuMs * 1000),
    server === exporter ? '' : `${shownSpread(server.cpuRatio)} ×`,
    shown(server.p50),
    shown(server.p99),
    grouped(server.bytes / 1024),
    mebibytes(server.resident),
  ]);
  const heads = [
    ...['', 'scrapes/s', 'this exporter against it', 'CPU µs per scrape', 'its CPU against this exporter’s'],
    ...['p50 ms', 'p99 ms', 'KiB', 'resident MiB'],
  ];
  return `### ${grouped(publishing.series)} series\n\n${renderTable(heads, rows)}`;
}

/** The scrapes of the running service. */
export function renderServing(results: readonly ServingResult[]): string {
  const rows = results.flatMap(({ series, idle, polling }) => [
    servingRow(series, 'idle', idle),
    servingRow(series, 'polling', polling),
  ]);
  const heads = [
    ...['series', '', 'scrapes/s', 'CPU µs per scrape', 'p99 ms'],
    ...['against bare node:http', 'in CPU', 'against a bare express route', 'in CPU'],
  ];
  return renderTable(heads, rows);
}

function servingRow(series: number, state: string, servers: readonly ServerResult[]): readonly string[] {
  const [exporter, http, express] = servers;
  const ratios = [http, express].flatMap((server) =>
    server ? [`${shownSpread(server.ratio)} ×`, `${shownSpread(server.cpuRatio)} ×`] : ['', ''],
  );
  const { perSecond = Number.NaN, cpuMs = Number.NaN, p99 = Number.NaN } = exporter ?? {};
  return [grouped(series), state, shown(perSecond), shown(cpuMs * 1000), shown(p99), ...ratios];
}

/** Publishing at all sizes. */
export function renderPublishing(results: readonly SizeResult[]): string {
  const rows = results.map(({ publishing: { series, first, again, stall } }) => [
    grouped(series),
    shown(first),
    shown(again),
    shown(stall),
  ]);
  return renderTable(['series', 'first time ms', 'repeated ms', 'longest stall ms'], rows);
}

/** Memory at all sizes. */
export function renderMemory(results: readonly SizeResult[]): string {
  const rows = results.map(({ publishing, servers, peak }) => [
    grouped(publishing.series),
    mebibytes(publishing.before),
    mebibytes(publishing.after),
    mebibytes(publishing.peak),
    mebibytes(servers[0]?.resident ?? Number.NaN),
    mebibytes(peak),
  ]);
  const heads = [
    'series',
    'rows parsed MiB',
    'published MiB',
    'peak so far MiB',
    'after the scrapes MiB',
    'overall peak MiB',
  ];
  return renderTable(heads, rows);
}

export function renderStarting({ first, exporter, bare, ratio }: StartingResult): string {
  return renderTable(
    ['', 'ms', 'against the bare program'],
    [
      ['this exporter', shownSpread(exporter), `${shownSpread(ratio)} ×`],
      ['this exporter, first start on a machine', shown(first), ''],
      ['bare express with prom-client', shownSpread(bare), ''],
    ],
  );
}
