import { dayDatasetOf } from '../../src/catalog/collector.ts';
import type { Family } from '../../src/catalog/family.ts';
import { isRecorded, recordedNameOf } from '../../src/catalog/recorded.ts';
import { collectors } from '../../src/collectors/index.ts';
import { dataDayTimestamp, orgInfo } from '../../src/collectors/org-families.ts';

const HOUR_S = 3600;
const DAY_S = 86_400;
/** Minutes after the hour: a scrape that the panels' hourly grid sees, and that lies on no point of it. */
const SCRAPED_AT_S = 58 * 60;

/** The figures of a day, as an organization's target shows them, or as a backfill has written them. */
export interface ShownDay {
  readonly org: string;
  /** Counted from the first day. */
  readonly day: number;
  /** Hours after the first day's first instant: the one of a backfill's sample, or all in which it was scraped. */
  readonly at: number | { readonly from: number; readonly until: number };
}

interface Sample {
  readonly name: string;
  /** With `org` and the labels of the target. */
  readonly labels: string;
  readonly second: number;
  readonly value: number;
}

const PER_PERSON = ['sessions', 'user_messages', 'tool_calls', 'files', 'commits', 'pull_requests'];

/** Label values that panels select; any other label has two. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  tier: ['standard', 'thinking'],
  kind: ['input', 'output', 'cache_read', 'cache_write', ...PER_PERSON],
  role: ['user', 'assistant'],
  output: ['files', 'commits', 'pull_requests'],
  breakdown: ['model', 'user'],
  currency: ['EUR', 'USD'],
  platform: ['agent-platform'],
  org_id: ['1'],
  dataset: ['tokens', 'tools', 'activity', 'productivity', 'users'],
};

/** Every family with figures of days or of repositories. */
const families: readonly Family[] = collectors
  .filter((collector) => dayDatasetOf(collector) !== undefined || collector.name === 'readiness')
  .flatMap((collector) => collector.families);

/**
 * Samples of every family as hourly scrapes would store them, and those that a backfill writes, with its recorded series;
 * a series has the same value on a whole day, and another one on each day.
 */
function* plantedSamples(first: number, shown: readonly ShownDay[]): Generator<Sample> {
  const dataDay = { name: dataDayTimestamp.name, labels: ['dataset'], scope: 'current' } as const;
  for (const family of [dataDay, orgInfo, ...families]) {
    for (const recorded of isRecorded(family) ? [false, true] : [false])
      for (const { org, day, at } of shown) {
        if (recorded && typeof at !== 'number') continue;
        const instance = typeof at === 'number' ? 'backfill' : 'exporter:9889';
        const common = recorded ? `org="${org}"` : `job="agent-platform",instance="${instance}",org="${org}"`;
        const name = recorded ? recordedNameOf(family.name) : family.name;
        for (const [index, own] of combinations(family.labels).entries()) {
          const value = family === dataDay ? first + day * DAY_S : figureOf(org, day, index);
          const labels = [common, ...own].join();
          for (const second of secondsOf(at)) yield { name, labels, second: first + second, value };
        }
      }
  }
}

function secondsOf(at: ShownDay['at']): readonly number[] {
  if (typeof at === 'number') return [at * HOUR_S];
  const { from, until } = at;
  return Array.from({ length: until - from }, (_, index) => (from + index) * HOUR_S + SCRAPED_AT_S);
}

/** OpenMetrics, from which promtool creates blocks. */
export function plantedOpenMetrics(first: number, shown: readonly ShownDay[]): string {
  const lines: string[] = [];
  let family = '';
  for (const { name, labels, second, value } of plantedSamples(first, shown)) {
    if (name !== family) lines.push(`# TYPE ${name} gauge`);
    family = name;
    lines.push(`${name}{${labels}} ${value} ${second}`);
  }
  return [...lines, '# EOF', ''].join('\n');
}

function combinations(labels: readonly string[]): readonly (readonly string[])[] {
  return labels.reduce<readonly (readonly string[])[]>(
    (found, label) =>
      found.flatMap((before) =>
        (VALUES[label] ?? ['a', 'b']).map((value) => [...before, `${label}="${value}"`]),
      ),
    [[]],
  );
}

/** A value that tells day and series apart. */
function figureOf(org: string, day: number, index: number): number {
  return (day + 1) * 1000 + index + org.length / 100;
}
