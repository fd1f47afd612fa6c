import { byName } from '../catalog/object.ts';
import type { OwnMetric } from './own-metric.ts';
import {
  createLineStart,
  encode,
  escapeLabelValue,
  type Format,
  formatValue,
  renderFamilyHeader,
} from './text.ts';

type Labels = Readonly<Record<string, string>>;

/** The text of a series that is the same for all organizations, of which there may be hundreds. */
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
  /** Values by the index of their line; the array has holes. */
  readonly values: number[];
  /** The rendered lines; undefined once a value has changed. */
  text: Buffer | undefined;
}

/** The values of one metric for all organizations; its first label is `org`. */
export class OrgFigures {
  readonly #metric: OwnMetric;
  #orgs = new Map<string, OfOrg>();
  #areInOrder = true;
  readonly #lines = new Map<string, Line>();
  readonly #histograms = new Map<string, Histogram>();
  readonly #keyOf: (labels: Labels) => string;
  readonly #lineOf: (labels: Labels) => Line;
  readonly #bucketOf: (labels: Labels) => Line;
  readonly #sumOf: (labels: Labels) => Line;
  readonly #countOf: (labels: Labels) => Line;

  constructor(metric: OwnMetric) {
    const { name, labels } = metric;
    const [, ...others] = labels;
    this.#metric = metric;
    this.#keyOf = createLineStart({ name, labels }, {});
    this.#lineOf = this.#finder(name, labels);
    this.#bucketOf = this.#finder(`${name}_bucket`, ['org', 'le', ...others]);
    this.#sumOf = this.#finder(`${name}_sum`, labels);
    this.#countOf = this.#finder(`${name}_count`, labels);
  }

  set(labels: Labels, value: number): void {
    this.#change(labels['org'], this.#lineOf(labels), () => value);
  }

  /** Adds to a counter, which begins at 0. */
  add(labels: Labels, count: number): void {
    this.#change(labels['org'], this.#lineOf(labels), (before) => before + count);
  }

  /** Adds a value to a histogram. */
  observe(labels: Labels, value: number): void {
    const histogram = this.#histogramOf(labels);
    for (const { bound, line } of histogram.buckets)
      this.#change(labels['org'], line, (before) => before + (value <= bound ? 1 : 0));
    this.#change(labels['org'], histogram.sum, (before) => before + value);
    this.#change(labels['org'], histogram.count, (before) => before + 1);
  }

  /** Removes an organization's series, or those with these labels. */
  remove(org: string, isGone: (labels: Labels) => boolean = () => true): void {
    const ofOrg = this.#orgs.get(org);
    if (ofOrg === undefined) return;
    ofOrg.text = undefined;
    for (const { labels, index } of this.#lines.values()) if (isGone(labels)) delete ofOrg.values[index];
    if (Object.keys(ofOrg.values).length === 0) this.#orgs.delete(org);
  }

  /** Yields the header, and one text per organization, cached while its values stay the same. Nothing without series. */
  *texts(format: Format): Generator<Buffer> {
    if (this.#orgs.size === 0) return;
    if (!this.#areInOrder) {
      this.#orgs = new Map([...this.#orgs].sort(byName));
      this.#areInOrder = true;
    }
    yield encode(renderFamilyHeader(this.#metric, format));
    for (const [org, ofOrg] of this.#orgs) {
      ofOrg.text ??= encode(this.#write(org, ofOrg));
      yield ofOrg.text;
    }
  }

  #finder(sample: string, labelNames: readonly string[]): (labels: Labels) => Line {
    const startOf = createLineStart({ name: sample, labels: labelNames }, {});
    const org = `${sample}{org="`.length;
    return (labels) => {
      const start = startOf({ ...labels, org: '' });
      const known = this.#lines.get(start);
      if (known !== undefined) return known;
      const index = this.#lines.size;
      const line = { labels, index, before: start.slice(0, org), after: start.slice(org) };
      this.#lines.set(start, line);
      return line;
    };
  }

  #histogramOf(labels: Labels): Histogram {
    const { buckets = [] } = this.#metric;
    const key = this.#keyOf({ ...labels, org: '' });
    const known = this.#histograms.get(key);
    if (known !== undefined) return known;
    const made: Histogram = {
      buckets: [...buckets, Number.POSITIVE_INFINITY].map((bound) => ({
        bound,
        line: this.#bucketOf({ ...labels, le: formatValue(bound) }),
      })),
      sum: this.#sumOf(labels),
      count: this.#countOf(labels),
    };
    this.#histograms.set(key, made);
    return made;
  }

  #change(org = '', { index }: Line, next: (value: number) => number): void {
    const known = this.#orgs.get(org);
    const ofOrg: OfOrg = known ?? { values: [], text: undefined };
    if (known === undefined) {
      this.#orgs.set(org, ofOrg);
      this.#areInOrder = false;
    }
    const before = ofOrg.values[index];
    const value = next(before ?? 0);
    if (before === value) return;
    ofOrg.text = undefined;
    ofOrg.values[index] = value;
  }

  #write(org: string, { values }: OfOrg): string {
    const written = escapeLabelValue(org);
    let text = '';
    for (const { index, before, after } of this.#lines.values()) {
      const value = values[index];
      if (value !== undefined) text += `${before}${written}${after}${formatValue(value)}\n`;
    }
    return text;
  }
}
