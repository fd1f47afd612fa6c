import { startChild } from '../child.ts';
import { measurePublishing, type PublishingResult } from './publishing.ts';
import { measureScraping, type ScrapingOptions, type ServerResult } from './scraping.ts';

export interface SizeOptions extends ScrapingOptions {
  /** How often everything is published. */
  readonly publishings: number;
}

/** What was measured at one number of series. */
export interface SizeResult {
  readonly publishing: PublishingResult;
  readonly servers: readonly ServerResult[];
}

/** Measures one exporter of a size: publishing first, then the scrapes of what it has published. */
export async function measureSize(options: SizeOptions): Promise<SizeResult> {
  const exporter = await startChild(options.directory, 'servers/exporter.js', { series: options.series });
  try {
    const publishing = await measurePublishing(exporter, options.publishings);
    return { publishing, servers: await measureScraping(exporter, options) };
  } finally {
    await exporter.stop();
  }
}
