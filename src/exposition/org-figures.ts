import { byName } from '../catalog/object.ts';
import { encode } from './family-text.ts';
import type { OwnMetric } from './own-metric.ts';
import { createLineStart, escapeLabelValue, type Format, formatValue, renderFamilyHeader } from './text.ts';

type Labels = Readonly<Record<string, string>>;

/** What lines of equal labels have in common over all organizations, of which there may be hundreds. */
interface Line {
  readonly labels: Labels;
  readonly index: number;
  /** The text before the organization's name. */
  readonly before: string;
  /** The text between the organization's name and the value. */
  readonly after: string;
}

/** The lines of one series of a histogram. */
interface Histogram {
  readonly buckets: readonly { readonly bound: number; readonly line: Line }[];
  readonly sum: Line;
  readonly count: Line;
}

interface OfOrg {
  /** By the index of the line; it has holes. */
  readonly values: number[];
  /** Its lines; undefined once a value has changed. */
  text: Buffer | undefined;
}

/** Creates the figures of a metric, the first label of which is `org`. */
export function createOrgFigures(metric: OwnMetric) {
  const { name, labels: names, buckets = [] } = metric;
  const byOrg = new Map<string, OfOrg>();
  const lines = new Map<string, Line>();
  const histograms = new Map<string, Histogram>();
  const [, ...others] = names;
  const keyOf = createLineStart({ name, labels: names }, {});
  const lineOf = lineFinder(name, names);
  const bucketOf = lineFinder(`${name}_bucket`, ['org', 'le', ...others]);
  const sumOf = lineFinder(`${name}_sum`, names);
  const countOf = lineFinder(`${name}_count`, names);

  function lineFinder(sample: string, labelNames: readonly string[]): (labels: Labels) => Line {
    const startOf = createLineStart({ name: sample, labels: labelNames }, {});
    const org = `${sample}{org="`.length;
    return (labels) => {
      const start = startOf({ ...labels, org: '' });
      const known = lines.get(start);
      if (known !== undefined) return known;
      const line = { labels, index: lines.size, before: start.slice(0, org), after: start.slice(org) };
      lines.set(start, line);
      return line;
    };
  }

  function histogramOf(labels: Labels): Histogram {
    const key = keyOf({ ...labels, org: '' });
    const known = histograms.get(key);
    if (known !== undefined) return known;
    const made: Histogram = {
      buckets: [...buckets, Number.POSITIVE_INFINITY].map((bound) => ({
        bound,
        line: bucketOf({ ...labels, le: formatValue(bound) }),
      })),
      sum: sumOf(labels),
      count: countOf(labels),
    };
    histograms.set(key, made);
    return made;
  }

  function change(org = '', { index }: Line, next: (value: number) => number): void {
    const known = byOrg.get(org);
    const ofOrg: OfOrg = known ?? { values: [], text: undefined };
    if (known === undefined) byOrg.set(org, ofOrg);
    const before = ofOrg.values[index];
    const value = next(before ?? 0);
    if (before === value) return;
    ofOrg.text = undefined;
    ofOrg.values[index] = value;
  }

  function write(org: string, { values }: OfOrg): string {
    const written = escapeLabelValue(org);
    let text = '';
    for (const { index, before, after } of lines.values()) {
      const value = values[index];
      if (value !== undefined) text += `${before}${written}${after}${formatValue(value)}\n`;
    }
    return text;
  }

  return {
    set(labels: Labels, value: number): void {
      change(labels['org'], lineOf(labels), () => value);
    },
    /** Counts from 0. */
    add(labels: Labels, count: number): void {
      change(labels['org'], lineOf(labels), (before) => before + count);
    },
    /** Adds a value to a histogram. */
    observe(labels: Labels, value: number): void {
      const histogram = histogramOf(labels);
      for (const { bound, line } of histogram.buckets)
        change(labels['org'], line, (before) => before + (value <= bound ? 1 : 0));
      change(labels['org'], histogram.sum, (before) => before + value);
      change(labels['org'], histogram.count, (before) => before + 1);
    },
    /** Removes an organization's series, or those with these labels. */
    remove(org: string, isGone: (labels: Labels) => boolean = () => true): void {
      const ofOrg = byOrg.get(org);
      if (ofOrg === undefined) return;
      ofOrg.text = undefined;
      for (const { labels, index } of lines.values()) if (isGone(labels)) delete ofOrg.values[index];
      if (Object.keys(ofOrg.values).length === 0) byOrg.delete(org);
    },
    /** The header, and the lines of each organization as one text, which is kept while they are the same; nothing without series. */
    *texts(format: Format): Generator<Buffer> {
      if (byOrg.size === 0) return;
      yield encode(renderFamilyHeader(metric, format));
      for (const [org, ofOrg] of [...byOrg].sort(byName)) {
        ofOrg.text ??= encode(write(org, ofOrg));
        yield ofOrg.text;
      }
    },
  };
}
