import { addDays, type Day, endOf, type Instant } from '../../../src/catalog/day.ts';
import { below, createRandom, type Random } from '../../../test/fuzz/random.ts';
import { dayNamed } from '../../../test/support/day.ts';

export const HOUR = 3_600_000;
const DAY_HOURS = 24;
/** When revisions take effect: after the last poll of a day and before the first one of the next. */
const REVISED_AT_HOUR = 23;

/** The datasets of the world, each with the field of its main number. */
export const DATASETS = ['tokens', 'tools', 'activity'] as const;
export type Dataset = (typeof DATASETS)[number];

/** The content of a dataset for one day, from an instant on. */
interface Version {
  readonly from: Instant;
  readonly main: number;
  /** Whether the second model (tool) has a share of it. */
  readonly both: boolean;
}

interface Told {
  /** When the day's row is available. */
  readonly from: Instant;
  /** Its values, oldest first; empty for a day without activity. */
  readonly versions: readonly Version[];
  /** Until when the day answers 500. */
  readonly badUntil: Instant;
}

interface Outage {
  readonly from: Instant;
  readonly to: Instant;
  /** Whether the exporter is down, rather than the platform. */
  readonly isOurs: boolean;
}

/** Everything that the platform will ever say, determined in advance. */
export interface World {
  readonly first: Day;
  readonly days: number;
  /** When the exporter starts, some weeks into the history, and when everything ends. */
  readonly start: Instant;
  readonly end: Instant;
  readonly outages: readonly Outage[];
  dayAt(index: number): Day;
  indexOf(day: Day): number;
  /** The row at an instant; undefined if there is none, or not yet. */
  rowAt(dataset: Dataset, index: number, at: Instant): Version | undefined;
  /** The rows that existed within a period; undefined among them if there was none at some time. */
  rowsWithin(dataset: Dataset, index: number, from: Instant, to: Instant): readonly (Version | undefined)[];
  isActive(dataset: Dataset, index: number): boolean;
  isBad(dataset: Dataset, index: number, at: Instant): boolean;
  badUntil(dataset: Dataset, index: number): Instant;
  outageAt(at: Instant): Outage | undefined;
}

/** The length of the history before the exporter starts, in days. */
const BEFORE = 45;

/** Creates a world of this many days from a seed. */
export function createWorld(seed: number, days: number): World {
  const random = createRandom(seed);
  const first = dayNamed('2026-01-14');
  const count = BEFORE + days;
  const names = Array.from({ length: count + 8 }, (_, index) => addDays(first, index));
  const indices = new Map(names.map((day, index) => [day, index]));
  const ends = names.map(endOf);
  const delays = delaysOf(random, count);
  const active = activityOf(random, names.slice(0, count), delays);
  const told = Object.fromEntries(
    DATASETS.map((dataset, which) => {
      let from = 0;
      const of = Array.from({ length: count }, (_, index): Told => {
        const end = ends[index] ?? 0;
        // A late platform processes its days in order.
        from = Math.max(from, end + (delays[dataset][index] ?? 0) * HOUR);
        return {
          from,
          versions: active[index]?.[which] === true ? versionsOf(random, from, end) : [],
          badUntil: random() < 0.006 ? end + below(12 * DAY_HOURS, random) * HOUR : 0,
        };
      });
      return [dataset, of];
    }),
  ) as Readonly<Record<string, readonly Told[]>>;
  const start = (ends[BEFORE - 1] ?? 0) + 0.3 * HOUR;
  const outages = [days * 0.3, days * 0.65].map((around, index): Outage => {
    const from = start + Math.floor(around + random() * 20) * DAY_HOURS * HOUR + below(24, random) * HOUR;
    return { from, to: from + (24 + below(49, random)) * HOUR, isOurs: index === 1 };
  });

  const at = (dataset: Dataset, index: number): Told | undefined => told[dataset]?.[index];

  function rowAt(dataset: Dataset, index: number, instant: Instant): Version | undefined {
    return at(dataset, index)?.versions.findLast(({ from }) => from <= instant);
  }

  return {
    first,
    days: count,
    start,
    end: (ends[count - 1] ?? 0) + 0.3 * HOUR,
    outages,
    dayAt: (index) => names[index] ?? addDays(first, index),
    indexOf: (day) => indices.get(day) ?? -1,
    rowAt,
    rowsWithin: (dataset, index, from, to) => [
      rowAt(dataset, index, from),
      ...(at(dataset, index)?.versions ?? []).filter((version) => version.from > from && version.from <= to),
    ],
    isActive: (dataset, index) => (at(dataset, index)?.versions.length ?? 0) > 0,
    isBad: (dataset, index, instant) => instant < (at(dataset, index)?.badUntil ?? 0),
    badUntil: (dataset, index) => at(dataset, index)?.badUntil ?? 0,
    outageAt: (instant) => outages.find(({ from, to }) => instant >= from && instant < to),
  };
}

/** The delay of the rows of each day in hours: occasionally one dataset by up to four days, rarely by twelve, or all by three. */
function delaysOf(random: Random, count: number): Record<Dataset, number[]> {
  const usual = () => Array.from({ length: count }, () => 1 + below(4, random));
  const delays = Object.fromEntries(DATASETS.map((dataset) => [dataset, usual()])) as Record<
    Dataset,
    number[]
  >;
  for (let index = 10; index < count; index += 8 + below(20, random)) {
    const late = random() < 0.35 ? DATASETS : [DATASETS[below(DATASETS.length, random)] ?? 'tokens'];
    const isLong = random() < 0.15;
    const hours = late.length > 1 ? 12 + below(60, random) : (isLong ? 200 : 24) + below(72, random);
    const length = 1 + below(6, random);
    for (let at = index; at < Math.min(index + length, count); at++) {
      for (const dataset of late) delays[dataset][at] = hours;
    }
  }
  return delays;
}

/**
 * Which datasets have activity on each day. On a working day at most one has none, so that a late one is not the only
 * evidence; a day on which only one is active arrives in time, except for a single one among holidays.
 */
function activityOf(
  random: Random,
  days: readonly Day[],
  delays: Record<Dataset, number[]>,
): readonly (readonly boolean[])[] {
  let isLoneHolidaySet = false;
  return days.map((day, index) => {
    const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
    const isChristmas = day.slice(5) >= '12-24' || day.slice(5) <= '01-03';
    const isFree = weekday === 0 || weekday === 6 || isChristmas || HOLIDAYS.has(day.slice(5));
    if (day.slice(5) === '12-28' && !isLoneHolidaySet) {
      isLoneHolidaySet = true;
      delays.tools[index] = 95;
      return DATASETS.map((dataset) => dataset === 'tools');
    }
    const chance = random();
    const one = below(DATASETS.length, random);
    if (!isFree) return DATASETS.map((_, which) => chance > 0.06 || which !== one);
    const isInTime = DATASETS.every((dataset) => (delays[dataset][index] ?? 0) < 24);
    if (chance < 0.08) return DATASETS.map(() => true);
    return DATASETS.map((_, which) => chance < 0.12 && isInTime && !isChristmas && which === one);
  });
}

const HOLIDAYS = new Set(['04-03', '04-06', '05-01', '05-14', '05-25', '10-03', '11-01']);

/** A day's first values, and occasionally later ones, up to the seventh day. */
function versionsOf(random: Random, from: Instant, end: Instant): readonly Version[] {
  const main = 1 + below(1000, random);
  const versions = [{ from, main, both: random() < 0.7 }];
  while (random() < 0.12) {
    const revised = end + below(6, random) * DAY_HOURS * HOUR + REVISED_AT_HOUR * HOUR;
    const last = versions.at(-1);
    if (last === undefined || revised <= last.from) break;
    versions.push({ from: revised, main: main + versions.length * 7, both: last.both });
  }
  return versions;
}
