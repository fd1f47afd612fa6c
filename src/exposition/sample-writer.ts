import type { Sample } from '../catalog/family.ts';
import { escapeLabelValue, formatValue } from './text.ts';

/** What the writer needs to know of a catalogue's family. */
export interface WrittenFamily {
  readonly name: string;
  /** Label names in the order in which they are written, after the common ones. */
  readonly labels: readonly string[];
}

/** Writes one sample as one line, newline included; `timestamp` (Unix seconds) is only for backfilled files. */
export type SampleWriter = (sample: Sample, timestamp?: number) => string;

/** Creates the writer of a family's lines; `common` labels (`org` first) are the same on all of them. */
export function createSampleWriter(
  family: WrittenFamily,
  common: Readonly<Record<string, string>>,
): SampleWriter {
  const shared = Object.entries(common)
    .map(([label, value]) => `${label}="${escapeLabelValue(value)}"`)
    .join(',');
  const openings = family.labels.map((label, index) => {
    const before = index > 0 ? '",' : `${family.name}{${shared}${shared === '' ? '' : ','}`;
    return { label, text: `${before}${label}="` };
  });
  const bare = shared === '' ? `${family.name} ` : `${family.name}{${shared}} `;
  const closing = '"} ';

  return function write({ labels, value }, timestamp) {
    let line = '';
    for (const { label, text } of openings) line += text + escapeLabelValue(labels[label] ?? '');
    line = line === '' ? bare : line + closing;
    line += formatValue(value);
    return timestamp === undefined ? `${line}\n` : `${line} ${timestamp}\n`;
  };
}
