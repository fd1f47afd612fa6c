import type { Sample } from '../catalog/family.ts';
import type { Clock } from '../runtime/clock.ts';
import { createSerialQueue } from '../runtime/serial-queue.ts';
import { createSlices, type Slices } from '../runtime/slices.ts';
import { createDeflater, type DeflatedChunk } from './deflated-chunk.ts';
import { createSampleWriter, type WrittenFamily } from './text.ts';

/**
 * Rendered samples: a short text, which is deflated in one block with its neighbours on the page, because by itself it
 * would hardly compress; or a long one, which is deflated already and no longer in memory.
 */
export type SegmentBody = Buffer | DeflatedChunk;

/** One organization's samples of one family, rendered. */
export interface Segment {
  readonly family: string;
  readonly org: string;
  /** Number of series; `maxSeries` plus one if it overflowed. */
  readonly series: number;
  /** Whether there were more than `maxSeries` samples: rendering stopped, and the segment is empty. */
  readonly overflow: boolean;
  readonly body: SegmentBody;
}

interface SegmentOptions {
  /** Rendering stops at the first sample beyond this number. */
  readonly maxSeries?: number | undefined;
  /** Once aborted, rendering rejects with the signal's reason at the next slice. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Renders a family's samples of one organization in slices of a few milliseconds, and deflates them if they are long;
 * undefined if there are none. Never holds more of the text than a few chunks of 256 KiB.
 */
export type RenderSegment = (
  family: WrittenFamily,
  org: string,
  samples: Iterable<Sample>,
  options?: SegmentOptions,
) => Promise<Segment | undefined>;

// In UTF-16 units. Larger chunks compress little better, smaller ones cost more thread switches.
const CHUNK = 256 * 1024;
/** Up to this length the text is kept. */
const SHORT = 64 * 1024;
const EMPTY = Buffer.alloc(0);

/**
 * Creates the renderer that a process shares. It renders one family at a time: concurrent rendering would be no faster,
 * and its slices and chunks would add up.
 */
export function createSegmentRenderer({ clock }: { readonly clock: Clock }): RenderSegment {
  const slices = createSlices(clock);
  const queue = createSerialQueue();

  return function renderSegment(family, org, samples, options = {}) {
    return queue.run(() => render(family, org, samples, options, slices));
  };
}

async function render(
  family: WrittenFamily,
  org: string,
  samples: Iterable<Sample>,
  { maxSeries = Number.POSITIVE_INFINITY, signal }: SegmentOptions,
  slices: Slices,
): Promise<Segment | undefined> {
  const lines = createLineReader(family, org, samples, maxSeries, slices);
  const deflater = createDeflater();
  const common = { family: family.name, org };
  let text = '';
  let short = true;
  try {
    while (!lines.ended()) {
      await slices.next();
      signal?.throwIfAborted();
      text += lines.read(CHUNK - text.length);
      if (text.length < CHUNK) continue;
      await deflater.write(text);
      text = '';
      short = false;
    }
  } finally {
    lines.close();
  }
  const series = lines.series();
  if (series === 0) return undefined;
  if (series > maxSeries) return { ...common, series, overflow: true, body: EMPTY };
  if (short && text.length <= SHORT) return { ...common, series, overflow: false, body: ownBuffer(text) };
  if (text !== '') await deflater.write(text);
  return { ...common, series, overflow: false, body: await deflater.finish() };
}

/** Not from Buffer's pool, of which thousands of small texts would retain most. */
export function ownBuffer(text: string): Buffer {
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  buffer.write(text);
  return buffer;
}

interface LineReader {
  /** Lines of about `length` UTF-16 units, or fewer if the slice ends. */
  read(length: number): string;
  ended(): boolean;
  series(): number;
  close(): void;
}

function createLineReader(
  family: WrittenFamily,
  org: string,
  samples: Iterable<Sample>,
  maxSeries: number,
  slices: Slices,
): LineReader {
  const iterator = samples[Symbol.iterator]();
  const write = createSampleWriter(family, { org });
  let series = 0;
  let exhausted = false;
  return {
    read(length) {
      let text = '';
      while (text.length < length) {
        const next = iterator.next();
        exhausted = next.done === true;
        if (next.done) break;
        series += 1;
        if (series > maxSeries) break;
        text += write(next.value);
        if (series % 16 === 0 && slices.over()) break;
      }
      return text;
    },
    ended: () => exhausted || series > maxSeries,
    series: () => series,
    close() {
      if (!exhausted) iterator.return?.();
    },
  };
}
