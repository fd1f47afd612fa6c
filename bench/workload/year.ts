import { closeSync, openSync, writeSync } from 'node:fs';
import { isDayCollector } from '../../src/catalog/collector.ts';
import type { Family } from '../../src/catalog/family.ts';
import { recordedNameOf } from '../../src/catalog/recorded.ts';
import { aboutFamilies, collectors } from '../../src/collectors/index.ts';

const DAY_S = 86_400;
const HOUR_S = 3600;
const CHUNK = 4 * 1024 * 1024;
const CRITERIA = 20;

/** The size of the organizations whose year is stored. */
export interface YearSize {
  readonly days: number;
  readonly orgs: number;
  readonly models: number;
  readonly repos: number;
  readonly people: number;
}

/** What is stored of a family. */
interface Stored {
  readonly name: string;
  readonly series: readonly string[];
  /** The seconds after a day's first instant at which its figures are stored. */
  readonly at: readonly number[];
  /** How many days before the end are queried: only the last one if only current values are. */
  readonly days: number;
  /** What the values are like. */
  readonly values: 'figure' | 'day' | 'report' | 'criterion';
}

/** Stored at every scrape of the year; other families once a day, because their text would take hours to load. */
const SCRAPED: ReadonlySet<string> = new Set([
  'agent_platform_daily_credits',
  'agent_platform_data_day_timestamp_seconds',
]);

/** After the publication and at the end of each half of the day, at the offset of the rules. */
const RECORDED_AT: readonly number[] = [5, 11, 23].map((hour) => hour * HOUR_S + 900);
const STATE_RECORDED_AT = RECORDED_AT.slice(1);

/** The days in which the criteria of former reports are looked up, and how long a report is current. */
const FORMER_DAYS = 46;
const REPORT_DAYS = 10;

const VALUES: Readonly<Record<string, Stored['values']>> = {
  agent_platform_data_day_timestamp_seconds: 'day',
  agent_platform_readiness_report_timestamp_seconds: 'report',
  agent_platform_readiness_criterion_ratio: 'criterion',
};

/**
 * What Prometheus has of the families that queries use: the exporter's own series once a day, as after a backfill (two
 * families scraped every minute), and the recorded series of its rules.
 */
export function yearOf(size: YearSize, queries: string): readonly Stored[] {
  const about = aboutFamilies(collectors.filter(isDayCollector).map(({ dataset }) => dataset));
  const families = [...collectors.flatMap((collector) => collector.families), ...about];
  return families.flatMap((family) => {
    const uses = (name: string) => new RegExp(`(?<![\\w:])${name}(?![\\w:])`).test(queries);
    const values = VALUES[family.name] ?? 'figure';
    const former = values === 'report' || values === 'criterion';
    const own = {
      name: family.name,
      series: seriesOf(family, size, 'job="agent-platform",instance="exporter:9889",'),
      at: SCRAPED.has(family.name) ? every(60) : [12 * HOUR_S],
      days: former ? FORMER_DAYS : isQueriedByDay(family.name, queries) ? Infinity : 0.5,
      values,
    };
    const recorded = {
      name: recordedNameOf(family.name),
      series: seriesOf(family, size, ''),
      at: family.scope === 'day' ? RECORDED_AT : STATE_RECORDED_AT,
      days: former ? FORMER_DAYS : Infinity,
      values,
    };
    return [own, recorded].filter(({ name }) => uses(name));
  });
}

/** Whether a family is in a window of days, of the day queries or of the change since a week before. */
function isQueriedByDay(name: string, queries: string): boolean {
  if (SCRAPED.has(name)) return true;
  return new RegExp(`last_over_time\\(\\(?${name}\\{`).test(queries);
}

/** Writes the samples of a window as OpenMetrics; returns their number. Days are stored on the days after them. */
export function writeWindow(
  file: string,
  stored: readonly Stored[],
  { from, to, end }: { readonly from: number; readonly to: number; readonly end: number },
): number {
  const target = openSync(file, 'w');
  let text = '';
  let samples = 0;
  for (const { name, series, at, days, values } of stored) {
    const start = Math.max(from, end - days * DAY_S);
    text += `# TYPE ${name} gauge\n`;
    for (const [index, labels] of series.entries()) {
      const opening = `${name}{${labels}} `;
      for (let day = Math.floor(start / DAY_S) * DAY_S; day < to; day += DAY_S) {
        const value = VALUE[values](day, index);
        for (const second of at) {
          if (day + second < start || day + second >= to) continue;
          text += `${opening}${value} ${day + second}\n`;
          samples++;
          if (text.length > CHUNK) {
            writeSync(target, text);
            text = '';
          }
        }
      }
    }
  }
  writeSync(target, `${text}# EOF\n`);
  closeSync(target);
  return samples;
}

/** The value of a series on a day; a repository's report is replaced every ten days, and one criterion in twenty changes. */
const VALUE: Readonly<Record<Stored['values'], (day: number, index: number) => number>> = {
  figure: (day, index) => 1000 + (((day / DAY_S) * 31 + index * 7) % 997),
  day: (day) => day - DAY_S,
  report: (day, index) => reportOf(day, index) * REPORT_DAYS * DAY_S,
  criterion: (day, index) =>
    (reportOf(day, Math.floor(index / CRITERIA)) + index) % CRITERIA === 0 ? 0 : 1 - (index % 3) / 4,
};

function reportOf(day: number, repo: number): number {
  return Math.floor((day / DAY_S + repo) / REPORT_DAYS);
}

function every(step: number): readonly number[] {
  return Array.from({ length: DAY_S / step }, (_, index) => index * step);
}

function seriesOf({ labels, name }: Family, size: YearSize, target: string): readonly string[] {
  const sets = labels.reduce<readonly string[]>(
    // A model has one tier, an event one matcher, a person one team.
    (found, label, index) =>
      index > 0 && ['tier', 'matcher', 'team'].includes(label)
        ? found.map(
            (set, position) =>
              `${set},${label}="${label === 'tier' ? ['standard', 'thinking'][position % 2] : 'a'}"`,
          )
        : found.flatMap((set) =>
            valuesOf(label, name, size).map((value) => `${set}${set === '' ? '' : ','}${label}="${value}"`),
          ),
    [''],
  );
  return Array.from({ length: size.orgs }, (_, index) => `${target}org="org-${index}"`).flatMap((org) =>
    sets.map((set) => (set === '' ? org : `${org},${set}`)),
  );
}

const FIXED: Readonly<Record<string, readonly string[]>> = {
  kind: ['input', 'output', 'cache_read', 'cache_write'],
  role: ['user', 'assistant'],
  breakdown: ['model', 'user'],
  currency: ['USD'],
  action: ['created', 'edited'],
  dataset: ['tokens', 'tools', 'activity', 'productivity', 'users'],
  stat: ['avg', 'p50', 'p90'],
  status: ['passed', 'partial', 'failed', 'skipped'],
};

function valuesOf(label: string, family: string, { models, repos, people }: YearSize): readonly string[] {
  const fixed = FIXED[label];
  if (fixed !== undefined) return family.endsWith('tokens_by_model') ? fixed.slice(0, 2) : fixed;
  const counts: Readonly<Record<string, number>> = {
    model: models,
    repo: repos,
    user: people,
    criterion: CRITERIA,
  };
  const ofOthers = ['branch', 'commit', 'team', 'client', 'level'].includes(label) ? 5 : 40;
  const infoOfUser = family.endsWith('_info') && label !== 'user' && label !== 'repo';
  const count = infoOfUser ? 1 : (counts[label] ?? ofOthers);
  return Array.from({ length: count }, (_, index) => `${label}-${index}`);
}
