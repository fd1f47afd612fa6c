// Renders, publishes and scrapes one large family: `node bench/exposition-memory.ts 1000000`.
// Reports time, the longest stall of the event loop, peak memory and sizes.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Sample } from '../src/catalog/family.ts';
import { createExposition } from '../src/exposition/exposition.ts';
import { createInstruments } from '../src/exposition/instruments.ts';
import { createPublication } from '../src/exposition/publication.ts';
import { createSegmentRenderer, type Segment } from '../src/exposition/segment.ts';
import { createSystemClock } from '../src/runtime/clock.ts';

const CRITERIA = Array.from({ length: 60 }, (_, index) => `criterion_${index}`);
const MIB = 1024 * 1024;

const count = Number(process.argv[2] ?? 100_000);
const orgs = Number(process.argv[3] ?? 1);
const family = { name: 'agent_platform_readiness_criterion_ratio', help: 'Ratio.', collector: 'readiness' };
const clock = createSystemClock();
const publication = createPublication({ families: [family], clock });
const { registry } = createInstruments({
  version: '0',
  revision: '0',
  clock,
  series: () => publication.current().series,
});
const exposition = createExposition({ publication, registry, clock });
const renderSegment = createSegmentRenderer({ clock });
const before = process.memoryUsage.rss();

await measure(`${count} samples rendered and published`, async () => {
  const names = Array.from({ length: orgs }, (_, index) => `acme-${index}`);
  await Promise.all(
    names.map(async (org) => {
      const written = { name: family.name, labels: ['repo', 'criterion'] };
      const segment = await renderSegment(written, org, samples(count / orgs));
      publication.replaceAll(org, new Map<string, Segment[]>([['readiness', segment ? [segment] : []]]));
    }),
  );
  publication.flush();
});
await measure('first scrape, gzip', async () => report(await scrape(true)));
await measure('another scrape, gzip', async () => report(await scrape(true)));
await measure('scrape, inflated', async () => report(await scrape(false)));
console.log(
  `peak RSS ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB, ${Math.round(before / MIB)} MiB at start`,
);
publication.close();
process.exit();

async function scrape(gzip: boolean): Promise<{ length: number; bytes: number }> {
  const page = await exposition.scrape({ format: 'text', gzip });
  if (page.kind !== 'page') throw new Error('no page');
  let bytes = 0;
  if ('parts' in page.body) for (const part of page.body.parts) bytes += part.length;
  else for await (const chunk of page.body.stream()) bytes += chunk.length;
  return { length: page.contentLength, bytes };
}

function report({ length, bytes }: { length: number; bytes: number }): void {
  if (length !== bytes) throw new Error(`${bytes} bytes instead of ${length}`);
  console.log(`  ${(bytes / MIB).toFixed(2)} MiB`);
}

async function measure(what: string, work: () => Promise<void>): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedAt = clock.elapsed();
  await work();
  const took = clock.elapsed() - startedAt;
  delay.disable();
  console.log(`${what}: ${took.toFixed(1)} ms, longest stall ${(delay.max / 1e6).toFixed(1)} ms`);
}

function* samples(wanted: number): Iterable<Sample> {
  for (let index = 0; index < wanted; index++) {
    const repo = `github.com/acme/service-${Math.floor(index / CRITERIA.length)}`;
    const criterion = CRITERIA[index % CRITERIA.length] ?? '';
    yield { labels: { repo, criterion }, value: ((index * 7919) % 13) / 12 };
  }
}
