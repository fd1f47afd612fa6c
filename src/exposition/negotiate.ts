import type { Format } from './text.ts';

export const contentTypes: Readonly<Record<Format, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

export interface Negotiated {
  readonly format: Format;
  readonly gzip: boolean;
}

/**
 * Chooses the format and the coding from a request's `Accept` and `Accept-Encoding` headers. The default, also for
 * headers that cannot be satisfied, is text 0.0.4 without compression.
 */
export function negotiate(accept = '', acceptEncoding = ''): Negotiated {
  return { format: chooseFormat(parse(accept)), gzip: acceptsGzip(parse(acceptEncoding)) };
}

/** `negotiate` that has its last answer at hand: a scraper sends the same headers each time. */
export function createNegotiation(): typeof negotiate {
  let last: { readonly accept?: string; readonly acceptEncoding?: string; readonly chosen: Negotiated } = {
    chosen: negotiate(),
  };
  return (accept = '', acceptEncoding = '') => {
    if (last.accept !== accept || last.acceptEncoding !== acceptEncoding)
      last = { accept, acceptEncoding, chosen: negotiate(accept, acceptEncoding) };
    return last.chosen;
  };
}

interface Offer {
  readonly name: string;
  readonly quality: number;
  readonly version: string | undefined;
}

function chooseFormat(offers: readonly Offer[]): Format {
  let best: { format: Format; quality: number } = { format: 'text', quality: 0 };
  for (const offer of offers) {
    const format = formatOf(offer);
    if (format !== undefined && offer.quality > best.quality) best = { format, quality: offer.quality };
  }
  return best.format;
}

function formatOf({ name, version = '1.0.0' }: Offer): Format | undefined {
  if (name === 'application/openmetrics-text') return version === '1.0.0' ? 'openmetrics' : undefined;
  // Text 1.0.0 differs from 0.0.4 only in names that this exporter does not use.
  return name === 'text/plain' || name === 'text/*' || name === '*/*' ? 'text' : undefined;
}

function acceptsGzip(codings: readonly Offer[]): boolean {
  const quality = (...names: string[]) => codings.find(({ name }) => names.includes(name))?.quality;
  const gzip = quality('gzip', 'x-gzip') ?? quality('*') ?? 0;
  return gzip > 0 && gzip >= (quality('identity') ?? 0);
}

const WEIGHT = /;\s*q\s*=\s*([^;\s]+)/;
const VERSION = /;\s*version\s*=\s*"?([^;"\s]*)/;

/**
 * Parses a header of weighted names; a weight that is not a number from 0 to 1 counts as 1. The package `negotiator` takes
 * a third of a small scrape's time, and would have to know every parameter that a client may send, such as `escaping`.
 */
function parse(header: string): readonly Offer[] {
  return header
    .toLowerCase()
    .split(',')
    .map((part) => {
      const [name = ''] = part.split(';', 1);
      const weight = Number(WEIGHT.exec(part)?.[1] ?? 1);
      const quality = weight >= 0 && weight <= 1 ? weight : 1;
      return { name: name.trim(), quality, version: VERSION.exec(part)?.[1] };
    });
}
