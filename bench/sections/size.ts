import { startChild } from '../child.ts';
import type { Memory, Question } from '../messages.ts';
import { measurePublishing, type PublishingResult } from './publishing.ts';
import { measureScraping, type ScrapingOptions, type ServerResult } from './scraping.ts';

export interface SizeOptions extends ScrapingOptions {
  /** How often everything is published. */
  readonly publishings: number;
}

/** What was measured at one number of series. */
export interface SizeResult {
  readonly publishing: PublishingResult;
  /** The exporter first. */
  readonly servers: readonly ServerResult[];
  /** The most resident memory that the exporter ever had, in bytes. */
  readonly peak: number;
}

/** Measures one exporter of a size: publishing first, then the scrapes of what it has published. */
export async function measureSize(options: SizeOptions): Promise<SizeResult> {
  const exporter = await startChild(options.directory, 'servers/exporter.js', { series: options.series });
  try {
    const publishing = await measurePublishing(exporter, options.publishings);
    const servers = await measureScraping(exporter, options);
    const { peak } = await exporter.ask<Memory>({ kind: 'memory' } satisfies Question);
    return { publishing, servers, peak };
  } finally {
    await exporter.stop();
  }
}
