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
  /** The header, and the lines of each organization as one text; nothing without series. */
  lines(format: Format): Generator<string>;
}

interface Series {
  readonly labels: Labels;
  value: number;
}

/** The series of an organization by the part of their line that precedes the value. */
interface OfOrg {
  readonly series: Map<string, Series>;
  /** Their lines; undefined once a value has changed. */
  text: string | undefined;
}

/** Creates the figures of a metric, the first label of which is `org`. */
export function createOrgFigures(metric: OwnMetric): OrgFigures {
  const { name, labels: names, buckets = [] } = metric;
  const byOrg = new Map<string, OfOrg>();
  const startOf = createLineStart({ name, labels: names }, {});
  const [org = '', ...others] = names;
  const startOfBucket = createLineStart({ name: `${name}_bucket`, labels: [org, 'le', ...others] }, {});
  const startOfSum = createLineStart({ name: `${name}_sum`, labels: names }, {});
  const startOfCount = createLineStart({ name: `${name}_count`, labels: names }, {});

  function change(start: string, labels: Labels, next: (value: number) => number): void {
    const known = byOrg.get(labels['org'] ?? '');
    const ofOrg: OfOrg = known ?? { series: new Map(), text: undefined };
    if (known === undefined) byOrg.set(labels['org'] ?? '', ofOrg);
    const one = ofOrg.series.get(start);
    const value = next(one?.value ?? 0);
    if (one?.value === value) return;
    ofOrg.text = undefined;
    if (one === undefined) ofOrg.series.set(start, { labels, value });
    else one.value = value;
  }

  return {
    set(labels, value) {
      change(startOf(labels), labels, () => value);
    },
    add(labels, count) {
      change(startOf(labels), labels, (before) => before + count);
    },
    observe(labels, value) {
      for (const bound of [...buckets, Number.POSITIVE_INFINITY]) {
        const start = startOfBucket({ ...labels, le: formatValue(bound) });
        change(start, labels, (before) => before + (value <= bound ? 1 : 0));
      }
      change(startOfSum(labels), labels, (before) => before + value);
      change(startOfCount(labels), labels, (before) => before + 1);
    },
    remove(name, isGone = () => true) {
      const ofOrg = byOrg.get(name);
      if (ofOrg === undefined) return;
      ofOrg.text = undefined;
      for (const [start, { labels }] of ofOrg.series) if (isGone(labels)) ofOrg.series.delete(start);
      if (ofOrg.series.size === 0) byOrg.delete(name);
    },
    *lines(format) {
      if (byOrg.size === 0) return;
      yield renderFamilyHeader(metric, format);
      for (const [, ofOrg] of [...byOrg].sort(byName)) {
        ofOrg.text ??= [...ofOrg.series]
          .map(([start, { value }]) => `${start}${formatValue(value)}\n`)
          .join('');
        yield ofOrg.text;
      }
    },
  };
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
