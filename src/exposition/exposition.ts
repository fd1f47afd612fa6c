import { deflateRawSync } from 'node:zlib';
import type { Clock } from '../runtime/clock.ts';
import type { Deflated } from './deflate.ts';
import type { Instruments } from './instruments.ts';
import type { Negotiated } from './negotiate.ts';
import { createOwnPart, type Ending } from './own-part.ts';
import type { Publication } from './publication.ts';
import { assembleScrape, type Scraped, type ScrapedPage } from './scrape.ts';
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

/** Answers scrapes. A whole one does no work that grows with the number of series; a part is deflated for it. */
export interface Exposition {
  /** The published page, or the part of the selected collectors, and the metrics about the exporter. */
  scrape(request: ScrapeRequest): Promise<Scrape>;
  /** One organization's part and `probe_success`, without the metrics about the exporter. */
  probe(request: ProbeRequest): Promise<Scrape>;
}

interface ExpositionDeps {
  readonly publication: Pick<Publication, 'current' | 'select' | 'collectors'>;
  readonly instruments: Pick<Instruments, 'registry' | 'linesOfOrgs'>;
  readonly clock: Clock;
}

/** A scrape of everything, which is sent to whoever asks within a second. */
interface Whole {
  readonly page: Deflated;
  readonly at: number;
  readonly parts: Promise<{ readonly ending: Ending; readonly scraped: Scraped }>;
}

const FRESH_MS = 1000;

/** Creates the exposition of a publication and the exporter's own metrics. */
export function createExposition({ publication, instruments, clock }: ExpositionDeps): Exposition {
  const renderOwnPart = createOwnPart({ ...instruments, clock });
  const wholes = new Map<Format, Whole>();

  /** The last one of the format, unless another page was published or a second has passed. */
  function whole(format: Format): Whole['parts'] {
    const page = publication.current();
    const last = wholes.get(format);
    if (last?.page === page && clock.elapsed() - last.at < FRESH_MS) return last.parts;
    const parts = renderOwnPart(format).then((ending) => ({
      ending,
      scraped: assembleScrape(page, ending, format),
    }));
    const made = { page, at: clock.elapsed(), parts };
    wholes.set(format, made);
    // A failure concerns the scrapes that wait for it, not later ones.
    parts.catch(() => {
      if (wholes.get(format) === made) wholes.delete(format);
    });
    return parts;
  }

  function findUnknown(collect: readonly string[] = []): UnknownCollector | undefined {
    const unknown = collect.filter((name) => !publication.collectors.has(name));
    if (unknown.length === 0) return undefined;
    return { kind: 'unknown-collector', unknown, known: [...publication.collectors] };
  }

  return {
    async scrape({ collect, format, gzip }) {
      const coding = gzip ? 'gzip' : 'identity';
      if (collect === undefined) return (await whole(format)).scraped[coding];
      const refusal = findUnknown(collect);
      if (refusal !== undefined) return refusal;
      const page = await publication.select({ collect });
      return assembleScrape(page, (await whole(format)).ending, format)[coding];
    },
    async probe(request) {
      const { collect, org, format, gzip } = request;
      const refusal = findUnknown(collect);
      if (refusal !== undefined) return refusal;
      const page = await publication.select({ collect, org });
      return assembleScrape(page, probeEnding(request), format)[gzip ? 'gzip' : 'identity'];
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
  return { text, bytes: deflateRawSync(text) };
}
