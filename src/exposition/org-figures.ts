import type { OwnMetric } from './own-metric.ts';
import { createLineStart, type Format, formatValue, renderFamilyHeader } from './text.ts';

type Labels = Readonly<Record<string, string>>;

/** The figures of one metric about organizations. */
export interface OrgFigures {
  set(labels: Labels, value: number): void;
  /** Counts from 0. */
  add(labels: Labels, count: number): void;
  /** Adds a value to a histogram. */
  observe(labels: Labels, value: number): void;
  /** Removes an organization's series, or those with these labels. */
  remove(org: string, isGone?: (labels: Labels) => boolean): void;
  /** The header and a line for each series, by organization; nothing without series. */
  lines(format: Format): Generator<string>;
}

interface Series {
  readonly labels: Labels;
  value: number;
}

/** Creates the figures of a metric, the first label of which is `org`. */
export function createOrgFigures(metric: OwnMetric): OrgFigures {
  const { name, labels: names, buckets = [] } = metric;
  /** The series of each organization by the part of their line that precedes the value. */
  const byOrg = new Map<string, Map<string, Series>>();
  const startOf = createLineStart({ name, labels: names }, {});
  const [org = '', ...others] = names;
  const startOfBucket = createLineStart({ name: `${name}_bucket`, labels: [org, 'le', ...others] }, {});
  const startOfSum = createLineStart({ name: `${name}_sum`, labels: names }, {});
  const startOfCount = createLineStart({ name: `${name}_count`, labels: names }, {});

  function seriesOf(start: string, labels: Labels): Series {
    const ofOrg = byOrg.get(labels['org'] ?? '') ?? new Map<string, Series>();
    byOrg.set(labels['org'] ?? '', ofOrg);
    const series = ofOrg.get(start) ?? { labels, value: 0 };
    ofOrg.set(start, series);
    return series;
  }

  return {
    set(labels, value) {
      seriesOf(startOf(labels), labels).value = value;
    },
    add(labels, count) {
      seriesOf(startOf(labels), labels).value += count;
    },
    observe(labels, value) {
      for (const bound of [...buckets, Number.POSITIVE_INFINITY]) {
        const start = startOfBucket({ ...labels, le: formatValue(bound) });
        seriesOf(start, labels).value += value <= bound ? 1 : 0;
      }
      seriesOf(startOfSum(labels), labels).value += value;
      seriesOf(startOfCount(labels), labels).value += 1;
    },
    remove(name, isGone = () => true) {
      const ofOrg = byOrg.get(name);
      for (const [start, { labels }] of ofOrg ?? []) if (isGone(labels)) ofOrg?.delete(start);
      if (ofOrg?.size === 0) byOrg.delete(name);
    },
    *lines(format) {
      if (byOrg.size === 0) return;
      yield renderFamilyHeader(metric, format);
      for (const name of [...byOrg.keys()].sort()) {
        for (const [start, { value }] of byOrg.get(name) ?? []) yield `${start}${formatValue(value)}\n`;
      }
    },
  };
}
