import { addDays, type Day, lastOfMonth } from '../../../../src/catalog/day.ts';
import { below, createRandom, type Random } from '../../../fuzz/random.ts';
import { dayNamed } from '../../../support/day.ts';

export const HOUR = 3_600_000;
/** The days before the year, which are history only. */
export const WARM_UP = 63;
const YEAR = 365;
export const DAYS = WARM_UP + YEAR;
/** The year is that of 2026. */
const FIRST = dayNamed('2025-10-30');
/** The weekday of the first day, Thursday. */
const FIRST_WEEKDAY = 4;
const HOLIDAYS = new Set(['01-01', '04-03', '04-06', '05-01', '05-14', '05-25', '10-03', '11-01']);
const SPIKES = 8;

export interface DayOfPeople {
  readonly credits: number;
  readonly people: number;
  readonly isQuiet: boolean;
}

interface Spike {
  readonly index: number;
  /** Whether it lies outside the 99th percentile of the ordinary days of its weekday. */
  readonly counts: boolean;
}

/** A year of one organization, with what was planted in it. */
export interface Organization {
  readonly days: readonly DayOfPeople[];
  /** The same days without spikes. */
  readonly plain: readonly DayOfPeople[];
  readonly spikes: readonly Spike[];
}

export function dayAt(index: number): Day {
  return addDays(FIRST, index);
}

/** 35 % within the year. */
const GROWTH_A_MONTH = Math.exp(0.3 / 12) - 1;

/** An organization with weekdays, holidays, growth, month ends, and eight spikes of one day. */
export function createOrganization(
  seed: number,
  people: number,
  growthAMonth = GROWTH_A_MONTH,
): Organization {
  const random = createRandom(seed * 7919 + people);
  const plain = plainDays(people, random, 12 * Math.log(1 + growthAMonth));
  const chosen = spikesOf(plain, random);
  const days = plain.map((day, index) => ({ ...day, credits: day.credits * (chosen.get(index) ?? 1) }));
  const spikes = [...chosen.keys()].map((index) => {
    const ordinary = plain.filter((_, at) => at >= WARM_UP && at % 7 === index % 7 && !chosen.has(at));
    const limit = quantile(
      ordinary.map(({ credits }) => credits),
      0.99,
    );
    return { index, counts: (days[index]?.credits ?? 0) > limit };
  });
  return { days, plain, spikes };
}

function plainDays(people: number, random: Random, growth: number): readonly DayOfPeople[] {
  const weights = Array.from({ length: people }, () => Math.exp(0.6 * normal(random) - 0.18));
  return Array.from({ length: DAYS }, (_, index) => {
    const day = dayAt(index);
    const monthDay = day.slice(5);
    const weekday = (index + FIRST_WEEKDAY) % 7;
    const isFree = weekday === 0 || weekday === 6;
    const isHoliday = monthDay >= '12-24' || monthDay <= '01-03' || HOLIDAYS.has(monthDay);
    const summer = monthDay >= '07-20' && monthDay <= '08-20' ? 0.85 : 1;
    const onWorkingDay = isHoliday ? 0.04 : 0.8 * summer;
    const chance = isFree ? (isHoliday ? 0.01 : 0.05) : onWorkingDay;
    const isMonthEnd = Number(lastOfMonth(day).slice(8)) - Number(day.slice(8)) < 3;
    const ofAll = Math.exp((growth * index) / YEAR + 0.08 * normal(random));
    const each = 2e6 * ofAll * (isMonthEnd ? 1.3 : 1) * (weekday === 5 ? 0.85 : 1);
    let active = 0;
    let credits = 0;
    for (const weight of weights) {
      if (random() >= chance) continue;
      active += 1;
      credits += each * weight * Math.exp(0.5 * normal(random) - 0.125);
    }
    return { credits, people: active, isQuiet: isFree || isHoliday || active === 0 };
  });
}

/** The factors of the days that become spikes, by index. */
function spikesOf(days: readonly DayOfPeople[], random: Random): ReadonlyMap<number, number> {
  const chosen = new Map<number, number>();
  while (chosen.size < SPIKES) {
    const index = WARM_UP + below(YEAR, random);
    const isNear = [...chosen.keys()].some((other) => Math.abs(other - index) < 7);
    if (isNear || days[index]?.isQuiet !== false) continue;
    chosen.set(index, 2.2 * (6 / 2.2) ** random());
  }
  return chosen;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const at = share * (sorted.length - 1);
  const [low = 0, high = low] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (at - Math.floor(at)) * (high - low);
}

export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
