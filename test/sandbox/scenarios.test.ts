import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/sandbox/index.ts';
import { circlingOn } from '../../src/sandbox/world/rhythm.ts';
import { firstCases } from '../support/thoroughness.ts';
import { createAsked, type Json } from './asking.ts';

const DAY_MS = 86_400_000;
/** Two weeks with every weekday and two holidays, from the first holiday on. */
const days = Array.from({ length: 14 }, (_, index) => Date.UTC(2026, 10, 26, 9) + index * DAY_MS);

function dateOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;
}

/** Requests from a platform created at an instant. */
function createdAt(instant: number, scenarios: readonly Scenario[]) {
  const clock = { now: instant };
  const asked = createAsked({ now: () => clock.now, scenarios, days: 60 });
  return { ...asked, clock };
}

describe('a platform on which credits have just spiked', () => {
  test.each(firstCases(5, days.map(dateOf)))(
    'has a day of far more credits than ever the day before %s',
    async (today) => {
      const { rows } = createdAt(Date.parse(`${today}T09:00:00Z`), ['credit-spike']);
      const yesterday = dateOf(Date.parse(today) - DAY_MS);
      const all = await rows('tokens', dateOf(Date.parse(today) - 29 * DAY_MS), yesterday);
      const newest = all.at(-1);
      expect(newest?.['date']).toBe(yesterday);
      const before = all.slice(0, -1).map((row) => Number(row['billable_tokens']));
      expect(Number(newest?.['billable_tokens'])).toBeGreaterThan(3 * median(before));
      expect(Number(newest?.['billable_tokens'])).toBeGreaterThan(1_000_000);
    },
  );

  test('has no second spike as time goes by, and keeps the first one', async () => {
    const { clock, rows } = createdAt(Date.UTC(2026, 10, 20, 9), ['credit-spike']);
    const [spike] = await rows('tokens', '2026-11-19', '2026-11-19');
    clock.now += DAY_MS;
    const later = await rows('tokens', '2026-11-19', '2026-11-20');
    expect(later[0]).toEqual(spike);
    expect(Number(later[1]?.['billable_tokens'])).toBeLessThan(Number(spike?.['billable_tokens']) / 2);
  });
});

describe('a steady platform', () => {
  const newest = Date.UTC(2026, 11, 27);
  const dates = Array.from({ length: 59 }, (_, back) => dateOf(newest - back * DAY_MS)).toReversed();

  test('has somebody at work on every Sunday and holiday, where a plain one has nobody', async () => {
    const activeOn = async (scenarios: readonly Scenario[]) => {
      const { rows } = createdAt(newest + DAY_MS + 9 * 3_600_000, scenarios);
      const all = await rows('activity', dates[0] ?? '', dates.at(-1) ?? '');
      return all.filter((row) => Number(row['daily_active_users']) > 0).map((row) => row['date']);
    };
    expect(await activeOn(['steady'])).toEqual(dates);
    expect((await activeOn([])).length).toBeLessThan(dates.length);
  });

  test('has no day on which agents are stuck in loops', () => {
    const first = Date.UTC(2026, 1, 1) / DAY_MS;
    const all = Array.from({ length: 365 }, (_, day) => first + day);
    const factors = (steady: boolean) =>
      new Set(all.map((day) => circlingOn({ seed: 3, small: true, steady }, day)));
    expect(factors(true)).toEqual(new Set([1]));
    expect(factors(false)).toEqual(new Set([1, 10]));
  });
});

describe('a platform with a poor readiness report', () => {
  test.each(firstCases(5, days.map(dateOf)))(
    'has one that is far worse than the one before it, on %s',
    async (today) => {
      const instant = Date.parse(`${today}T09:00:00Z`);
      const plain = await createdAt(instant, []).reports();
      const changed = await createdAt(instant, ['readiness-drop']).reports();
      const different = changed.filter(
        (report, index) => JSON.stringify(report) !== JSON.stringify(plain[index]),
      );
      expect(different).toHaveLength(1);
      const [poor = {}] = different;
      expect(instant - Number(poor['createdAt'])).toBeLessThan(6 * DAY_MS);
      const before = changed.find(
        (report) =>
          pathOf(report) === pathOf(poor) &&
          report['branch'] === poor['branch'] &&
          Number(report['createdAt']) < Number(poor['createdAt']),
      );
      expect(scoreOf(before) - scoreOf(poor)).toBeGreaterThan(0.1);
    },
  );
});

/** Host and path of a report's repository, whose URL has several spellings. */
function pathOf({ repoUrl }: Json): string {
  return String(repoUrl)
    .replace(/^[a-z+]+:\/\//, '')
    .replace(/^[^/@]*@/, '')
    .replace(':', '/')
    .replace(/\.git$/, '');
}

function scoreOf(report: Json | undefined): number {
  const ratios = Object.values((report?.['report'] ?? {}) as Record<string, Json>)
    .filter(({ numerator }) => numerator !== null)
    .map(({ numerator, denominator }) => Number(numerator) / Number(denominator));
  return ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
}
