import type { Registry } from 'prom-client';
import type { Clock } from '../runtime/clock.ts';
import { createSlices } from '../runtime/slices.ts';
import { deflateEnd } from './deflate.ts';
import { encodeLines } from './family-text.ts';
import type { Format } from './text.ts';

/** The end of a scrape: text, and the same as the end of a raw-deflate stream. */
export interface Ending {
  readonly text: readonly Buffer[];
  readonly bytes: Buffer;
  /** Length of the text in bytes. */
  readonly length: number;
}

interface OwnPartDeps {
  /** The metrics of the process as a whole. */
  readonly registry: Registry;
  /** The metrics of each organization, as lines. */
  linesOfOrgs(format: Format): Iterable<string>;
  readonly clock: Clock;
}

/** Creates the renderer of the part of a scrape about the exporter itself. */
export function createOwnPart(deps: OwnPartDeps): (format: Format) => Promise<Ending> {
  const slices = createSlices(deps.clock);
  return async (format) => {
    const ofProcess = await renderRegistry(deps.registry, format);
    function* lines(): Generator<string> {
      yield* deps.linesOfOrgs(format);
      yield ofProcess;
      if (format === 'openmetrics') yield '# EOF\n';
    }
    const text = await encodeLines(lines(), slices);
    const { bytes, length } = await deflateEnd(text);
    return { text, bytes, length };
  };
}

const COUNTER_HEADER = /^(# (?:HELP|TYPE) \S+)_total /gm;

/** prom-client's text, with the usual spelling of NaN. Asked for OpenMetrics, it would rename its counters for good. */
async function renderRegistry(registry: Registry, format: Format): Promise<string> {
  const text = (await registry.metrics()).replaceAll('\n\n', '\n').replaceAll(/ Nan$/gm, ' NaN');
  return format === 'text' ? text : text.replaceAll(COUNTER_HEADER, '$1 ');
}
