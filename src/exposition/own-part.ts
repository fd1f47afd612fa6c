import type { Registry } from 'prom-client';
import type { Clock } from '../runtime/clock.ts';
import { createSlices } from '../runtime/slices.ts';
import { deflateEnd } from './deflate.ts';
import { encodeLines } from './family-text.ts';
import type { Format } from './text.ts';

/** The end of a scrape: text, and the same as the end of a raw-deflate stream. */
export interface Ending {
  readonly text: Buffer;
  readonly bytes: Buffer;
}

interface OwnPartDeps {
  /** The metrics of the process as a whole. */
  readonly registry: Registry;
  /** The metrics of each organization, as lines. */
  linesOfOrgs(format: Format): Iterable<string>;
  readonly clock: Clock;
}

/** In milliseconds: an answer that somebody waits for has slices of its own, instead of queuing behind a round's work. */
const SLICE_MS = 10;

/** Creates the renderer of the part of a scrape about the exporter itself. */
export function createOwnPart(deps: OwnPartDeps): (format: Format) => Promise<Ending> {
  const slices = createSlices(deps.clock, SLICE_MS);
  return async (format) => {
    const ofProcess = await renderRegistry(deps.registry, format);
    function* lines(): Generator<string> {
      yield* deps.linesOfOrgs(format);
      yield ofProcess;
      if (format === 'openmetrics') yield '# EOF\n';
    }
    const text = Buffer.concat(await encodeLines(lines(), slices));
    return { text, bytes: await deflateEnd(text) };
  };
}

const COUNTER_HEADER = /^(# (?:HELP|TYPE) \S+)_total /gm;

/** prom-client's text, with the usual spelling of NaN. Asked for OpenMetrics, it would rename its counters for good. */
async function renderRegistry(registry: Registry, format: Format): Promise<string> {
  const text = (await registry.metrics()).replaceAll('\n\n', '\n').replaceAll(/ Nan$/gm, ' NaN');
  return format === 'text' ? text : text.replaceAll(COUNTER_HEADER, '$1 ');
}
