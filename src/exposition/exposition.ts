import { deflateRawSync } from 'node:zlib';
import type { Clock } from '../work/clock.ts';
import type { Deflated } from './deflate.ts';
import type { Instruments } from './instruments.ts';
import type { Negotiated } from './negotiate.ts';
import type { Page } from './page.ts';
import { assembleScrape, createOwnPart, type Ending, type Scraped, type ScrapedPage } from './scrape.ts';
import { type Format, renderFamilyHeader } from './text.ts';

export interface ScrapeRequest extends Negotiated {
  /** The selected collectors, as in `?collect[]=`; all if undefined. */
  readonly collect?: readonly string[] | undefined;
}

export interface ProbeRequest extends ScrapeRequest {
  /** Name of a configured organization. */
  readonly org: string;
  /** The value of `probe_success`. */
  readonly success: boolean;
}

/** The answer to a request for unknown collectors. */
interface UnknownCollector {
  readonly kind: 'unknown-collector';
  readonly unknown: readonly string[];
  /** The names of the available collectors. */
  readonly known: readonly string[];
}

export type Scrape = ScrapedPage | UnknownCollector;

/** Answers scrapes. A scrape of everything sends prepared bytes, however many series there are; a selection is deflated first. */
export interface Exposition {
  /** The published page, or its part of the selected collectors, followed by the metrics about the exporter. */
  scrape(request: ScrapeRequest): Promise<Scrape>;
  /** The families of one organization and `probe_success`, without the metrics about the exporter. */
  probe(request: ProbeRequest): Promise<Scrape>;
}

interface ExpositionDeps {
  readonly page: Pick<Page, 'current' | 'select' | 'collectors'>;
  readonly instruments: Pick<Instruments, 'registry' | 'textsOfOrgs'>;
  readonly clock: Clock;
}

/** The metrics about the exporter as rendered last; appended to every scrape for a second. */
interface Own {
  readonly at: number;
  readonly ending: Promise<Ending>;
}

/** The answer to a scrape of everything; reused until the page or the metrics about the exporter change. */
interface Whole {
  readonly page: Deflated;
  readonly ending: Ending;
  readonly scraped: Scraped;
}

const FRESH_MS = 1000;

/** Creates the exposition of the page and the exporter's own metrics. */
export function createExposition({ page, instruments, clock }: ExpositionDeps): Exposition {
  const renderOwnPart = createOwnPart(instruments, clock);
  const endings = new Map<Format, Own>();
  const wholes = new Map<Format, Whole>();

  function endingOf(format: Format): Promise<Ending> {
    const last = endings.get(format);
    if (last !== undefined && clock.elapsed() - last.at < FRESH_MS) return last.ending;
    const own = { at: clock.elapsed(), ending: renderOwnPart(format) };
    endings.set(format, own);
    // A failure fails the waiting scrapes, and not later ones.
    own.ending.catch(() => {
      if (endings.get(format) === own) endings.delete(format);
    });
    return own.ending;
  }

  async function whole(format: Format): Promise<Scraped> {
    const ending = await endingOf(format);
    const current = page.current();
    const last = wholes.get(format);
    if (last?.page === current && last.ending === ending) return last.scraped;
    const scraped = assembleScrape(current, ending, format);
    wholes.set(format, { page: current, ending, scraped });
    return scraped;
  }

  function findUnknown(collect: readonly string[] = []): UnknownCollector | undefined {
    const unknown = collect.filter((name) => !page.collectors.has(name));
    if (unknown.length === 0) return undefined;
    return { kind: 'unknown-collector', unknown, known: [...page.collectors] };
  }

  return {
    async scrape({ collect, format, gzip }) {
      const coding = gzip ? 'gzip' : 'identity';
      if (collect === undefined) return (await whole(format))[coding];
      const refusal = findUnknown(collect);
      if (refusal !== undefined) return refusal;
      const part = await page.select({ collect });
      return assembleScrape(part, await endingOf(format), format)[coding];
    },
    async probe(request) {
      const { collect, org, format, gzip } = request;
      const refusal = findUnknown(collect);
      if (refusal !== undefined) return refusal;
      const part = await page.select({ collect, org });
      return assembleScrape(part, probeEnding(request), format)[gzip ? 'gzip' : 'identity'];
    },
  };
}

function probeEnding({ success, format }: ProbeRequest): Ending {
  const header = renderFamilyHeader({
    name: 'probe_success',
    help: 'Whether the last run of every collector of the organization succeeded (1) or not (0).',
    type: 'gauge',
  });
  const end = format === 'openmetrics' ? '# EOF\n' : '';
  const text = Buffer.from(`${header}probe_success ${success ? 1 : 0}\n${end}`);
  return { texts: [text], bytes: deflateRawSync(text) };
}
