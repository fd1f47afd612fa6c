import { thresholds } from '../../../alerts/src/index.ts';
import { type Expectation, expectationOf } from '../../../src/collectors/spend/measure.ts';
import { viewOf } from '../../../test/collectors/spend/backtest/view.ts';
import {
  createOrganization,
  DAYS,
  dayAt,
  type Organization,
  WARM_UP,
} from '../../../test/collectors/spend/backtest/world.ts';

/** The evaluations of the days of some years. */
interface Score {
  found: number;
  missed: number;
  falsely: number;
}

export interface PooledSpikes {
  readonly people: number;
  readonly years: number;
  readonly planted: number;
  readonly rule: Score;
  /** The best recall that any multiple of the bound reaches at the required precision, chosen with hindsight. */
  readonly hindsight: number;
}

/** Judges every day of the years of some seeds, by the bound that the exporter publishes. */
export function pooledSpikes(people: number, seeds: readonly number[], precision: number): PooledSpikes {
  const years = seeds.map((seed) => {
    const organization = createOrganization(seed, people);
    const view = viewOf(organization.days);
    const expected = Array.from({ length: DAYS }, (_, index) =>
      index < WARM_UP ? undefined : expectationOf(view, dayAt(index)),
    );
    return { organization, expected };
  });
  const score = (bound: (known: Expectation) => number): Score => {
    const sum = { found: 0, missed: 0, falsely: 0 };
    for (const { organization, expected } of years)
      add(sum, organization, (index) => {
        const known = expected[index];
        return known === undefined ? Number.POSITIVE_INFINITY : bound(known);
      });
    return sum;
  };
  let hindsight = 0;
  for (let multiple = 0.4; multiple < 3; multiple *= 1.03) {
    const other = score(({ upper }) => multiple * upper);
    if (precisionOf(other) >= precision) hindsight = Math.max(hindsight, recallOf(other));
  }
  const counted = years.flatMap(({ organization }) => organization.spikes.filter(({ counts }) => counts));
  return {
    people,
    years: years.length,
    planted: counted.length,
    rule: score(({ upper }) => upper),
    hindsight,
  };
}

function add(sum: Score, { days, spikes }: Organization, boundOf: (index: number) => number): void {
  const planted = new Map(spikes.map((spike) => [spike.index, spike.counts]));
  for (let index = WARM_UP; index < DAYS; index++) {
    const credits = days[index]?.credits ?? 0;
    const isTold = isAbove(credits, boundOf(index));
    const counts = planted.get(index);
    if (counts === true) sum[isTold ? 'found' : 'missed'] += 1;
    else if (counts === undefined && isTold) sum.falsely += 1;
  }
}

function isAbove(credits: number, bound: number): boolean {
  return credits > bound && credits > thresholds.creditSpikeFloorMillions.default * 1e6;
}

export interface PooledDoubles {
  readonly people: number;
  readonly growthAMonth: number;
  readonly years: number;
  /** The working days of the years, and those that the alert would tell if they had used twice the credits. */
  readonly days: number;
  readonly found: number;
  /** The days, of all kinds, that it tells as they are. */
  readonly falsely: number;
}

/** Doubles each working day of years without spikes, one at a time. */
export function pooledDoubles(people: number, seeds: readonly number[], growthAMonth: number): PooledDoubles {
  const sum = { days: 0, found: 0, falsely: 0 };
  for (const seed of seeds) {
    const { plain } = createOrganization(seed, people, growthAMonth);
    const view = viewOf(plain);
    for (const [index, { credits, isQuiet }] of plain.entries()) {
      const known = index < WARM_UP ? undefined : expectationOf(view, dayAt(index));
      if (known === undefined) continue;
      if (isAbove(credits, known.upper)) sum.falsely += 1;
      if (isQuiet) continue;
      sum.days += 1;
      if (isAbove(2 * credits, known.upper)) sum.found += 1;
    }
  }
  return { people, growthAMonth, years: seeds.length, ...sum };
}

export function precisionOf({ found, falsely }: Pick<Score, 'found' | 'falsely'>): number {
  return found + falsely === 0 ? 0 : found / (found + falsely);
}

export function recallOf({ found, missed }: Pick<Score, 'found' | 'missed'>): number {
  return found / (found + missed);
}
