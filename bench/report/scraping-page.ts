import type { BenchOptions } from '../options.ts';
import type { ScrapingReport } from './page.ts';
import { renderMemory, renderPublishing, renderScraping, renderStarting } from './sections.ts';

/** Scrapes, and what must be there before one can be answered. */
export function renderScrapingPage({ sizes, starting }: ScrapingReport, options: BenchOptions): string {
  const { rounds, milliseconds, connections, publishings, starts } = options;
  return `## Scrapes

Every server is a process of its own, and so is the load client: raw sockets, ${connections} kept connections, one request after
the other on each, answers counted whole and not unpacked. All answers are compressed with gzip. Each server got ${rounds}
rounds of ${milliseconds / 1000} s after one to warm up, the servers in turn within a round; the figures are the medians of the rounds, and
so are the ratios, taken round by round.

- **this exporter** is put together from its own parts as the service does it, with one organization whose history
  was filled with rows as they are after parsing: ${publishings} publications, then the load.
- **bare node:http** and a **bare express route** send the exporter's answer, headers and body, from one buffer with \`res.end\`.
- **express with prom-client** holds the same series as gauges, renders them at each scrape and compresses them with
  \`zlib.gzip\` off the event loop. It is left out above 100 000 series.

With ${connections} requests under way at any time, p50 and p99 include the wait for the others. What large answers take is mostly the
kernel's copying, which is the same for all but the last: there, ratios near 1 differ from run to run by a tenth, on a busy machine by three.
The exporter's own metrics are on its page beside the series; their part is rendered once a second.

${sizes.map(renderScraping).join('\n\n')}

## Publishing

From parsed rows in the history to compressed bytes that scrapes get: projection, zeros, folding, text, deflate, joining.
Parsing is not in it. Everything was published ${publishings} times: the first time, with code that V8 has not compiled yet, and
the median of the others. The stall is the longest of all of them, seen by \`monitorEventLoopDelay\` at a resolution of 1 ms,
which its figures include.

${renderPublishing(sizes)}

## Memory

Resident memory of the exporter's process, with everything loaded that the service loads, and with the rows in memory
that were published: two reports of each repository, 120 days of tokens, tools, activity and productivity. Peaks are the
operating system's.

${renderMemory(sizes)}

## Start

From the start of the process to the last byte of the first answered scrape: \`serve\` as it is installed, with an empty store and
a platform that does not answer, against the least program on express and prom-client. Medians of ${starts} starts each, in turn.
The first time on a machine there is no compiled code from an earlier start.

${renderStarting(starting)}`;
}
