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
export function negotiate(accept: string | undefined, acceptEncoding: string | undefined): Negotiated {
  return { format: chooseFormat(accept ?? ''), gzip: acceptsGzip(acceptEncoding ?? '') };
}

interface Offer {
  readonly name: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

function chooseFormat(accept: string): Format {
  const offers = parse(accept).filter(({ quality }) => quality > 0);
  let best: { format: Format; quality: number } = { format: 'text', quality: 0 };
  for (const offer of offers) {
    const format = formatOf(offer);
    if (format !== undefined && offer.quality > best.quality) best = { format, quality: offer.quality };
  }
  return best.format;
}

function formatOf({ name, parameters }: Offer): Format | undefined {
  const version = parameters.get('version');
  if (name === 'application/openmetrics-text') {
    return version === undefined || version === '1.0.0' ? 'openmetrics' : undefined;
  }
  // Text 1.0.0 differs from 0.0.4 only in names that this exporter does not use.
  return name === 'text/plain' || name === 'text/*' || name === '*/*' ? 'text' : undefined;
}

function acceptsGzip(acceptEncoding: string): boolean {
  const codings = parse(acceptEncoding);
  const quality = (...names: string[]) => codings.find(({ name }) => names.includes(name))?.quality;
  const gzip = quality('gzip', 'x-gzip') ?? quality('*') ?? 0;
  return gzip > 0 && gzip >= (quality('identity') ?? 0);
}

/** Parses a header of weighted names; a weight that is not a number from 0 to 1 counts as 1. */
function parse(header: string): Offer[] {
  return header
    .toLowerCase()
    .split(',')
    .map((part) => {
      const [name = '', ...rest] = part.split(';').map((text) => text.trim());
      const parameters = new Map(rest.map(parameter));
      const weight = Number(parameters.get('q') ?? 1);
      return { name, quality: weight >= 0 && weight <= 1 ? weight : 1, parameters };
    })
    .filter(({ name }) => name !== '');
}

function parameter(text: string): [string, string] {
  const equals = text.indexOf('=');
  if (equals < 0) return [text, ''];
  return [
    text.slice(0, equals).trim(),
    text
      .slice(equals + 1)
      .trim()
      .replace(/^"(.*)"$/, '$1'),
  ];
}
