import { startChild } from '../child.ts';
import type { Memory, Question } from '../messages.ts';
import type { ServerResult } from './comparison.ts';
import { measurePublishing, type PublishingResult } from './publishing.ts';
import { measureScraping, type ScrapingOptions } from './scraping.ts';

interface SizeOptions extends ScrapingOptions {
  /** Number of times everything is published. */
  readonly publishings: number;
}

/** The measurements at one number of series. */
export interface SizeResult {
  readonly publishing: PublishingResult;
  /** The exporter comes first. */
  readonly servers: readonly ServerResult[];
  /** Peak resident memory of the exporter, in bytes. */
  readonly peak: number;
}

/** Measures an exporter with this many series: first publishing, then scrapes. */
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
