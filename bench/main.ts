// Measures the exporter beside what it is compared with: npm run bench -- --help
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, ROOT } from './build.ts';
import { describeMachine } from './machine.ts';
import { type BenchOptions, parseOptions } from './options.ts';
import { type Report, renderPage } from './report/page.ts';
import { measureSize, type SizeResult } from './sections/size.ts';
import { measureStarting } from './sections/starting.ts';

/** Above, one scrape of a prom-client exporter takes longer than a round. */
const PROM_CLIENT_SERIES = 100_000;

try {
  const options = parseOptions(process.argv.slice(2));
  const page = renderPage(await measure(options));
  console.log(page);
  if (options.write) writeFileSync(path.join(ROOT, 'docs', 'BENCHMARKS.md'), page);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function measure(options: BenchOptions): Promise<Report> {
  const built = build();
  console.error('measuring the start');
  const starting = await measureStarting(built, options.starts);
  const sizes: SizeResult[] = [];
  for (const series of options.sizes) {
    console.error(`measuring ${series} series`);
    const withPromClient = series <= PROM_CLIENT_SERIES;
    sizes.push(await measureSize({ ...options, directory: built.bench, series, withPromClient }));
  }
  return { machine: describeMachine(), options, sizes, starting };
}
