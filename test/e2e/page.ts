import { type ParsedPage, type ParsedSample, parsePage } from '../exposition/parse.ts';

type Labels = Readonly<Record<string, string>>;

/** A page of metrics that a test can query. */
export interface Page extends ParsedPage {
  readonly text: string;
  /** The samples of a metric that have at least these labels. */
  find(name: string, labels?: Labels): readonly ParsedSample[];
  /** The value of the only such sample; undefined if there is none. Throws if there are several. */
  value(name: string, labels?: Labels): number | undefined;
  /** The metric's values by the value of one label. */
  by(label: string, name: string, labels?: Labels): Readonly<Record<string, number>>;
  /** Every series of the platform as one line of text, sorted; optionally only those of one organization. */
  platform(org?: string): readonly string[];
}

/** Parses a page of metrics. */
export function readPage(text: string): Page {
  const parsed = parsePage(text);
  const platformLines = new Map<string | undefined, readonly string[]>();

  function find(name: string, labels: Labels = {}): readonly ParsedSample[] {
    const matching = Object.entries(labels);
    return parsed.samples.filter(
      (sample) =>
        sample.name === name && matching.every(([label, value]) => sample.labels.get(label) === value),
    );
  }

  function linesOf(org: string | undefined): readonly string[] {
    return parsed.samples
      .filter(
        (sample) =>
          isOfPlatform(sample.name) && (org ?? sample.labels.get('org')) === sample.labels.get('org'),
      )
      .map(seriesText)
      .sort();
  }

  return {
    ...parsed,
    text,
    find,
    value(name, labels) {
      const [sample, another] = find(name, labels);
      if (another !== undefined) throw new Error(`${name} ${JSON.stringify(labels)} has several series`);
      return sample === undefined ? undefined : Number(sample.value);
    },
    by: (label, name, labels) =>
      Object.fromEntries(
        find(name, labels).map((sample) => [sample.labels.get(label) ?? '', Number(sample.value)]),
      ),
    platform(org) {
      const lines = platformLines.get(org) ?? linesOf(org);
      platformLines.set(org, lines);
      return lines;
    },
  };
}

/** Whether a metric is about the platform and not about the exporter. */
export function isOfPlatform(name: string): boolean {
  return name.startsWith('agent_platform_') && !name.startsWith('agent_platform_exporter_');
}

/** A sample as one line of text, independent of the order of its labels. */
export function seriesText({ name, labels, value }: ParsedSample): string {
  const sorted = [...labels].sort(([one], [other]) => (one < other ? -1 : 1));
  const pairs = sorted.map(([label, text]) => `${label}=${JSON.stringify(text)}`);
  return `${name}{${pairs.join(',')}} ${value}`;
}
