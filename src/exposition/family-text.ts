import type { Sample } from '../catalog/family.ts';
import type { Clock } from '../work/clock.ts';
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

/**
 * Renders a family's samples of one organization in slices of a few milliseconds; undefined if there are none. Rendering stops
 * at the first sample beyond `maxSeries`, which is unlimited by default.
 */
export type RenderText = (
  family: WrittenFamily,
  org: string,
  samples: Iterable<Sample>,
  options?: { readonly maxSeries?: number },
) => Promise<FamilyText | undefined>;

// In UTF-16 units.
const PIECE = 128 * 1024;

/** Creates the renderer. */
export function createTextRenderer({ clock }: { readonly clock: Pick<Clock, 'slices'> }): RenderText {
  const { slices } = clock;
  return async (family, org, samples, { maxSeries = Number.POSITIVE_INFINITY } = {}) => {
    const { name } = family;
    const write = createSampleWriter(family, { org });
    const bytes: Buffer[] = [];
    let text = '';
    let series = 0;
    await slices.next();
    for (const sample of samples) {
      series += 1;
      if (series > maxSeries) return { family: name, series, overflow: true, bytes: [] };
      text += write(sample);
      if (text.length >= PIECE) {
        bytes.push(encode(text));
        text = '';
      }
      if (series % 16 === 0 && slices.over()) await slices.next();
    }
    if (series === 0) return undefined;
    if (text !== '') bytes.push(encode(text));
    return { family: name, series, overflow: false, bytes };
  };
}

/** A text as UTF-8 in memory of its own: in Buffer's pool, thousands of small texts would keep most of the pool alive. */
export function encode(text: string): Buffer {
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  buffer.write(text);
  return buffer;
}
