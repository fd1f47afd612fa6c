import type { Instant } from '../../catalog/day.ts';
import type { Sample } from '../../catalog/family.ts';
import { MAX_LABEL_CHARACTERS } from '../../catalog/label.ts';
import { escapeLabelValue, planLine, type WrittenFamily } from '../../exposition/text.ts';

/** A character takes at most four bytes, and an escaped one has two. */
const MAX_LABEL_BYTES = 4 * MAX_LABEL_CHARACTERS;
/** The most bytes of a value. */
export const MAX_VALUE_BYTES = 32;
/** A call that encodes or copies costs more than these few bytes one by one. */
const FEW = 40;

/** Writes the lines of a family as bytes: a string for each line would cost more than its bytes. */
export interface LineEncoder {
  /** The most bytes of a series. */
  readonly maxBytes: number;
  /** Writes a series with these labels, and the space before the value; returns the position after it. */
  writeSeries(output: Buffer, from: number, labels: Sample['labels']): number;
}

/** Creates the encoder of a family's lines; `common` labels (`org` first) are the same on all of them. */
export function createLineEncoder(
  family: WrittenFamily,
  common: Readonly<Record<string, string>>,
): LineEncoder {
  const plan = planLine(family, common);
  const openings = plan.openings.map(({ label, text }) => ({ label, text: Buffer.from(text) }));
  const closing = Buffer.from(plan.closing);
  const constant = openings.reduce((sum, { text }) => sum + text.length, closing.length);
  return {
    maxBytes: constant + openings.length * MAX_LABEL_BYTES,
    writeSeries(output, from, labels) {
      let end = from;
      for (const { label, text } of openings) {
        end = writeBytes(output, end, text);
        end = writeText(output, end, escapeLabelValue(labels[label] ?? ''));
      }
      return writeBytes(output, end, closing);
    },
  };
}

/** What follows the value of a sample at an instant: the timestamp in seconds and the end of the line. */
export function endingAt(stamp: Instant): Buffer {
  return Buffer.from(` ${stamp / 1000}\n`);
}

/** Writes a few bytes or many; returns the position after them. */
export function writeBytes(output: Buffer, from: number, bytes: Buffer): number {
  if (bytes.length > FEW) output.set(bytes, from);
  else for (let index = 0; index < bytes.length; index++) output[from + index] = bytes[index] ?? 0;
  return from + bytes.length;
}

/** Writes a text in UTF-8; returns the position after it. */
export function writeText(output: Buffer, from: number, text: string): number {
  if (text.length > FEW) return from + output.write(text, from);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return from + output.write(text, from);
    output[from + index] = code;
  }
  return from + text.length;
}
