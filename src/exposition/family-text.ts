import type { Sample } from '../catalog/family.ts';
import type { Clock } from '../runtime/clock.ts';
import { createSerialQueue } from '../runtime/serial-queue.ts';
import type { Slices } from '../runtime/slices.ts';
import { createSampleWriter, type WrittenFamily } from './text.ts';

/** One organization's samples of one family as text. */
export interface FamilyText {
  readonly family: string;
  /** Number of series; `maxSeries` plus one if it overflowed. */
  readonly series: number;
  /** Whether there were more than `maxSeries` samples: rendering stopped, and the text is empty. */
  readonly overflow: boolean;
  /** The lines in pieces of at most about 128 KiB, without the header. */
  readonly bytes: readonly Buffer[];
}

interface RenderOptions {
  /** Rendering stops at the first sample beyond this number. */
  readonly maxSeries?: number | undefined;
  /** Once aborted, rendering rejects with the signal's reason at the next slice. */
  readonly signal?: AbortSignal | undefined;
}

/** Renders a family's samples of one organization in slices of a few milliseconds; undefined if there are none. */
export type RenderText = (
  family: WrittenFamily,
  org: string,
  samples: Iterable<Sample>,
  options?: RenderOptions,
) => Promise<FamilyText | undefined>;

// In UTF-16 units.
const PIECE = 128 * 1024;

/** Creates the renderer that a process shares. It renders one family at a time: concurrent slices would add up. */
export function createTextRenderer({ clock }: { readonly clock: Clock }): RenderText {
  const queue = createSerialQueue();
  return (family, org, samples, options = {}) =>
    queue.run(() => render(family, org, samples, options, clock.slices));
}

async function render(
  family: WrittenFamily,
  org: string,
  samples: Iterable<Sample>,
  { maxSeries = Number.POSITIVE_INFINITY, signal }: RenderOptions,
  slices: Slices,
): Promise<FamilyText | undefined> {
  const write = createSampleWriter(family, { org });
  let series = 0;
  function* lines(): Generator<string> {
    for (const sample of samples) {
      series += 1;
      if (series > maxSeries) return;
      yield write(sample);
    }
  }
  const bytes = await encodeLines(lines(), slices, signal);
  if (series === 0) return undefined;
  const overflow = series > maxSeries;
  return { family: family.name, series, overflow, bytes: overflow ? [] : bytes };
}

/** Joins lines into pieces of at most about 128 KiB, in slices. */
async function encodeLines(
  lines: Iterable<string>,
  slices: Slices,
  signal?: AbortSignal,
): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = [];
  let text = '';
  let count = 0;
  await slices.next();
  for (const line of lines) {
    text += line;
    count += 1;
    if (text.length >= PIECE) {
      pieces.push(encode(text));
      text = '';
    }
    if (count % 16 !== 0 || !slices.over()) continue;
    await slices.next();
    signal?.throwIfAborted();
  }
  if (text !== '') pieces.push(encode(text));
  return pieces;
}

/** A text in UTF-8, not from Buffer's pool, of which thousands of small texts would retain most. */
export function encode(text: string): Buffer {
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  buffer.write(text);
  return buffer;
}
