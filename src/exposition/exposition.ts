import type { Registry } from 'prom-client';
import type { Clock } from '../runtime/clock.ts';
import { type DeflatedChunk, deflateShort } from './deflated-chunk.ts';
import type { Negotiated } from './negotiate.ts';
import { createLive } from './process-metrics.ts';
import type { Publication } from './publication.ts';
import type { Page } from './published.ts';
import { assembleScrape, type ScrapedPage } from './scrape.ts';
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

/** Answers scrapes from the published page, in time that does not depend on the number of series. */
export interface Exposition {
  /** Everything published, or the part of the selected collectors, and the process's own metrics. */
  scrape(request: ScrapeRequest): Promise<Scrape>;
  /** What `scrape` would resolve with for everything, if nothing has to be rendered or published first. */
  ready(request: Negotiated): ScrapedPage | undefined;
  /** One organization's part and `probe_success`, without the process's own metrics. */
  probe(request: ProbeRequest): Promise<Scrape>;
}

interface ExpositionDeps {
  readonly publication: Pick<Publication, 'fresh' | 'ready' | 'collectors'>;
  readonly registry: Registry;
  readonly clock: Clock;
}

/** Creates the exposition of a publication and the process's registry. */
export function createExposition({ publication, registry, clock }: ExpositionDeps): Exposition {
  const live = createLive({ registry, clock });
  const assemble = rememberAssembled();

  function findUnknown(collect: readonly string[] = []): UnknownCollector | undefined {
    const unknown = collect.filter((name) => !publication.collectors.has(name));
    if (unknown.length === 0) return undefined;
    return { kind: 'unknown-collector', unknown, known: [...publication.collectors] };
  }

  return {
    async scrape(request) {
      const refusal = findUnknown(request.collect);
      if (refusal !== undefined) return refusal;
      // One consistent state, whatever is published meanwhile.
      const published = await publication.fresh();
      const ending = await live.chunk(request.format, published.version);
      const page = await published.part({ collect: request.collect }, request.format);
      return assemble(page, ending, request);
    },
    ready(request) {
      const published = publication.ready();
      const ending = published && live.ready(request.format, published.version);
      return ending && assemble(published.whole(request.format), ending, request);
    },
    async probe(request) {
      const refusal = findUnknown(request.collect);
      if (refusal !== undefined) return refusal;
      const { collect, org, format } = request;
      const page = await (await publication.fresh()).part({ collect, org }, format);
      return assembleScrape(page, deflateShort(probeText(request)), request);
    },
  };
}

interface Assembled {
  readonly page: Page;
  readonly ending: DeflatedChunk;
  readonly scraped: ScrapedPage;
}

/**
 * Caches the last scrape of each format and coding while its parts are the same: assembling a scrape of a thousand
 * series would otherwise cost more than sending it.
 */
function rememberAssembled(): typeof assembleScrape {
  const lastInGzip = new Map<Format, Assembled>();
  const lastAsText = new Map<Format, Assembled>();
  return (page, ending, negotiated) => {
    const last = negotiated.gzip ? lastInGzip : lastAsText;
    const before = last.get(negotiated.format);
    if (before?.page === page && before.ending === ending) return before.scraped;
    const scraped = assembleScrape(page, ending, negotiated);
    last.set(negotiated.format, { page, ending, scraped });
    return scraped;
  };
}

function probeText({ success, format }: { readonly success: boolean; readonly format: Format }): string {
  const header = renderFamilyHeader({
    name: 'probe_success',
    help: 'Whether the last run of every collector of the organization succeeded (1) or not (0).',
    type: 'gauge',
  });
  return `${header}probe_success ${success ? 1 : 0}\n${format === 'openmetrics' ? '# EOF\n' : ''}`;
}
