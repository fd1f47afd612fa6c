import type { Registry } from 'prom-client';
import type { Clock } from '../work/clock.ts';
import { createSlices } from '../work/slices.ts';
import { deflateEnd } from './deflate.ts';
import { encode } from './family-text.ts';
import type { Format } from './text.ts';

/** The metrics about the exporter, which end a scrape: as text, and as the end of a raw-deflate stream. */
export interface Ending {
  readonly texts: readonly Buffer[];
  readonly bytes: Buffer;
}

interface OwnMetrics {
  /** The metrics of the process as a whole. */
  readonly registry: Registry;
  /** The metrics of each organization, in pieces. */
  textsOfOrgs(format: Format): Iterable<Buffer>;
}

/**
 * In milliseconds: an answer that somebody waits for has long slices of its own, because a round's work precedes each turn of
 * the event loop.
 */
const SLICE_MS = 30;

/** Creates the renderer of the metrics about the exporter, which end every scrape. */
export function createOwnPart(own: OwnMetrics, clock: Clock): (format: Format) => Promise<Ending> {
  return async (format) => {
    const slices = createSlices(clock, SLICE_MS);
    const ofProcess = await renderRegistry(own.registry, format);
    const texts: Buffer[] = [];
    function* noted() {
      for (const text of own.textsOfOrgs(format)) {
        texts.push(text);
        yield text;
      }
      const end = encode(format === 'openmetrics' ? `${ofProcess}# EOF\n` : ofProcess);
      texts.push(end);
      yield end;
    }
    return { bytes: await deflateEnd(noted(), slices), texts };
  };
}

const COUNTER_HEADER = /^(# (?:HELP|TYPE) \S+)_total /gm;

/** prom-client's text, with the usual spelling of NaN. If asked for OpenMetrics, prom-client would rename its counters for good. */
async function renderRegistry(registry: Registry, format: Format): Promise<string> {
  const text = (await registry.metrics()).replaceAll('\n\n', '\n').replaceAll(/ Nan$/gm, ' NaN');
  return format === 'text' ? text : text.replaceAll(COUNTER_HEADER, '$1 ');
}
