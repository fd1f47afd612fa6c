import { closeSync, openSync, writeSync } from 'node:fs';
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
  /** Whether only current values are queried, so that the last day is enough. */
  readonly lastDayOnly: boolean;
  /** Whether the value is the start of the data day. */
  readonly dayItself: boolean;
}

/** Stored at every scrape of the year; other families once a day, because their text would take hours to load. */
const SCRAPED: ReadonlySet<string> = new Set([
  'agent_platform_daily_credits',
  'agent_platform_data_day_timestamp_seconds',
]);

/** After the publication and at the end of each half of the day, at the offset of the rules. */
const RECORDED_AT: readonly number[] = [5, 11, 23].map((hour) => hour * HOUR_S + 900);
const STATE_RECORDED_AT = RECORDED_AT.slice(1);

/**
 * What Prometheus has of the families that queries use: the exporter's own series once a day, as after a backfill (two
 * families scraped every minute), and the recorded series of its rules.
 */
export function yearOf(size: YearSize, queries: string): readonly Stored[] {
  const families = [...collectors.flatMap((collector) => collector.families), ...aboutFamilies];
  return families.flatMap((family) => {
    const uses = (name: string) => new RegExp(`(?<![\\w:])${name}(?![\\w:])`).test(queries);
    const dayItself = family.name === 'agent_platform_data_day_timestamp_seconds';
    const own = {
      name: family.name,
      series: seriesOf(family, size, 'job="agent-platform",instance="exporter:9889",'),
      at: SCRAPED.has(family.name) ? every(60) : [12 * HOUR_S],
      lastDayOnly: !isQueriedByDay(family.name, queries),
      dayItself,
    };
    const recorded = {
      name: recordedNameOf(family.name),
      series: seriesOf(family, size, ''),
      at: family.scope === 'day' ? RECORDED_AT : STATE_RECORDED_AT,
      lastDayOnly: false,
      dayItself,
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
  for (const { name, series, at, lastDayOnly, dayItself } of stored) {
    const start = lastDayOnly ? Math.max(from, end - DAY_S / 2) : from;
    text += `# TYPE ${name} gauge\n`;
    for (const [index, labels] of series.entries()) {
      const opening = `${name}{${labels}} `;
      for (let day = Math.floor(start / DAY_S) * DAY_S; day < to; day += DAY_S) {
        const value = dayItself ? day - DAY_S : 1000 + (((day / DAY_S) * 31 + index * 7) % 997);
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
    // One criterion of each repository changed with its current report.
    criterion: family.endsWith('_previous') ? 1 : CRITERIA,
  };
  const ofOthers = ['branch', 'commit', 'team', 'client', 'level'].includes(label) ? 5 : 40;
  const infoOfUser = family.endsWith('_info') && label !== 'user' && label !== 'repo';
  const count = infoOfUser ? 1 : (counts[label] ?? ofOthers);
  return Array.from({ length: count }, (_, index) => `${label}-${index}`);
}
