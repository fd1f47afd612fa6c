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
  return { format: chooseFormat(offersIn(accept)), gzip: acceptsGzip(offersIn(acceptEncoding)) };
}

function chooseFormat(offers: readonly string[]): Format {
  let best: { format: Format; quality: number } = { format: 'text', quality: 0 };
  for (const offer of offers) {
    const format = formatOf(offer);
    if (format === undefined) continue;
    const quality = qualityOf(offer);
    if (quality > best.quality) best = { format, quality };
  }
  return best.format;
}

function formatOf(offer: string): Format | undefined {
  const name = nameOf(offer);
  if (name === 'application/openmetrics-text') {
    return (parameterOf(offer, 'version') ?? '1.0.0') === '1.0.0' ? 'openmetrics' : undefined;
  }
  // Text 1.0.0 differs from 0.0.4 only in names that this exporter does not use.
  return name === 'text/plain' || name === 'text/*' || name === '*/*' ? 'text' : undefined;
}

function acceptsGzip(offers: readonly string[]): boolean {
  const quality = (...names: string[]) => {
    const offer = offers.find((one) => names.includes(nameOf(one)));
    return offer === undefined ? undefined : qualityOf(offer);
  };
  const gzip = quality('gzip', 'x-gzip') ?? quality('*') ?? 0;
  return gzip > 0 && gzip >= (quality('identity') ?? 0);
}

/**
 * The offers of a header: names with parameters, in small letters, without spaces and quotes. The package `negotiator` takes a
 * third of a small scrape's time, and would have to know every parameter that a client may send, such as `escaping`; patterns
 * take an eighth.
 */
function offersIn(header: string): readonly string[] {
  return header
    .toLowerCase()
    .replaceAll(/[ \t"]/g, '')
    .split(',');
}

function nameOf(offer: string): string {
  const end = offer.indexOf(';');
  return end === -1 ? offer : offer.slice(0, end);
}

/** The weight of an offer; one that is not a number from 0 to 1 counts as 1. */
function qualityOf(offer: string): number {
  const weight = Number(parameterOf(offer, 'q') || 1);
  return weight >= 0 && weight <= 1 ? weight : 1;
}

function parameterOf(offer: string, name: string): string | undefined {
  const found = offer.indexOf(`;${name}=`);
  if (found === -1) return undefined;
  const start = found + name.length + 2;
  const end = offer.indexOf(';', start);
  return end === -1 ? offer.slice(start) : offer.slice(start, end);
}
