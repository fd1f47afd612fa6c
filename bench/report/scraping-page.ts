import { SLICE_MS } from '../load/turns.ts';
import type { BenchOptions } from '../options.ts';
import type { ServerName } from '../sections/comparison.ts';
import type { ServingResult } from '../sections/serving.ts';
import type { SizeResult } from '../sections/size.ts';
import type { StartingResult } from '../sections/starting.ts';
import type { ClientGolang } from '../servers/client-golang.ts';
import { type Line, renderLineChart } from './line-chart.ts';
import { renderMemory, renderPublishing, renderScraping, renderServing, renderStarting } from './sections.ts';

/** Where the picture is written, relative to the page. */
export const SERIES_PICTURE = 'images/cost-by-series.svg';

export interface ScrapingReport {
  readonly clientGolang: ClientGolang;
  readonly sizes: readonly SizeResult[];
  readonly starting: StartingResult;
  readonly serving: readonly ServingResult[];
}

/** The page's section on scrapes, and on what precedes the first one. */
export function renderScrapingPage(
  { sizes, starting, serving, clientGolang }: ScrapingReport,
  options: BenchOptions,
): string {
  const { rounds, milliseconds, connections, publishings, starts, pollingRounds } = options;
  const absent = 'missing' in clientGolang ? ` Not measured here: ${clientGolang.missing}.` : '';
  return `## Scrapes

Every server runs in its own process, and so does the load client: raw sockets, ${connections} persistent connections with one request
after the other on each; complete answers are counted and not decompressed. All answers are compressed with gzip. Each server
had ${rounds} rounds of ${milliseconds / 1000} s after a warm-up round. Within a round, the exporter and the bare servers took turns in slices of
about ${SLICE_MS} ms, in each order and its reverse, on connections that stay open: the machine changes its speed within
seconds, and so each round compares the same stretch of time. The slices of a server in a round are added up: answers,
seconds and CPU; p50 and p99 are those of all answers in the round. Servers that render a registry, whose answers may take
longer than a slice, have one load after these slices, of the same time and at least four answers. Values are medians of the
rounds, and ratios are medians of the ratios of each round.

- **this exporter** is composed of the same parts as the service, with one organization whose history was filled with
  parsed rows: ${publishings} publications, then the load.
- **bare node:http** and a **bare express route** send the exporter's answer, headers and body, from one buffer with \`res.end\`.
- **express with prom-client** has the same series as gauges, renders them on each scrape and compresses them with
  \`zlib.gzip\` off the event loop. It is omitted above 100 000 series.
- **client_golang** has them as gauges in a Go program, which serves them with \`promhttp\`; omitted above 100 000 series too.${absent}

CPU is that of the whole process, all threads, per scrape, as the kernel accounts for it. It does not contain the time for which
a server waits, for a core or for the load client. On large pages, sending the same bytes takes up to twice as much while the
client runs on another core than on the same one. Otherwise the kernel decides that anew at any time, and so the client has one
core and the exporter and the bare servers another one, where the machine has two (Linux with \`taskset\`).

![Milliseconds against series](${SERIES_PICTURE})

With ${connections} concurrent requests, p50 and p99 include waiting for the others. Large answers mostly cost the kernel's copying, which
is the same for all servers except prom-client. The exporter's page also contains its own metrics, which it renders once a
second, in about 2 ms: as it is loaded for a third of each round, three times as often for its scrapes as under constant load.

${sizes.map(renderScraping).join('\n\n')}

## Scrapes of the running service

The same load, on the same cores, on the installed command \`serve\`, with a store in a file and all collectors of one organization, whose reports
come from a simulated platform in another process. *Polling*: in each of ${pollingRounds} rounds, one load on it lasts ${options.pollingMilliseconds / 1000} s, in which it
fetches and publishes everything once, on as many cores as it can get, and so does the client. The bare servers are not to share the cores with the
poll: they take turns in slices for ${milliseconds / 1000} s each before this load, and for as long after it. By default, an exporter polls once
an hour. Its CPU then contains the poll's.

While nothing is polled, scrapes per second are judged only if both servers were what limited them: if the main thread of each ran,
or waited for a core, in nine tenths of its loads. Scrapes per CPU second are judged in any case.

${renderServing(serving)}

## Publishing

From parsed rows in the history to the compressed bytes of a scrape: projection, zeros, folding, text, deflate, joining.
Parsing is not included. Everything was published ${publishings} times: the table shows the first time, with code that V8 has not
compiled yet, and the median of the others. The stall is the longest of all, measured by \`monitorEventLoopDelay\` at a
resolution of 1 ms, which the values include.

${renderPublishing(sizes)}

## Memory

Resident memory of the exporter's process, with all modules of the service loaded and the published rows in memory: two
reports per repository, and 120 days of tokens, tools, activity and productivity. Peaks are those of the operating system.

${renderMemory(sizes)}

## Start

From the start of the process to the last byte of the first answered scrape: the installed command \`serve\`, with an empty
store and a platform that does not answer, against a minimal program with express and prom-client. Medians of ${starts} alternating
starts each. The first start also creates the store.

${renderStarting(starting)}`;
}

/** Milliseconds of a scrape and of a publication against the number of series, as an SVG document. */
export function drawSeries(sizes: readonly SizeResult[]): string {
  const line = (name: string, millisecondsOf: (size: SizeResult) => number | undefined): Line => ({
    name,
    points: sizes.flatMap((size) => {
      const y = millisecondsOf(size) ?? 0;
      return y > 0 ? [{ x: size.publishing.series, y }] : [];
    }),
  });
  const cpu = (name: ServerName) => line(`scrape, ${name}`, (size) => findServer(size, name)?.cpuMs);
  const lines = [
    line('publication', ({ publishing }) => publishing.again),
    ...[cpu('exporter'), cpu('prom-client'), cpu('client_golang')],
  ].filter(({ points }) => points.length > 0);
  return renderLineChart('Cost by number of series', 'series', 'milliseconds', lines);
}

function findServer({ servers }: SizeResult, name: ServerName) {
  return servers.find((server) => server.name === name);
}
