import { afterAll, beforeAll, expect } from 'vitest';
import type { YearReport } from './year.ts';

/** Runs the tests of a file in a time zone with daylight saving, which must not affect anything. */
export function inBerlin(): void {
  const before = process.env['TZ'];
  beforeAll(() => {
    process.env['TZ'] = 'Europe/Berlin';
    const [summer, winter] = [6, 0].map((month) => new Date(2026, month, 1).getTimezoneOffset());
    expect(summer).not.toBe(winter);
  });
  afterAll(() => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });
}

/**
 * Fails if a year, or the `part` of one that was run, was not as it must be; `replay` is the command that reproduces it.
 */
export function expectGoodYear(year: YearReport, replay: string, part = 1): void {
  const said = `replay with: ${replay}`;
  expect(year.wrong.slice(0, 10), said).toEqual([]);
  expect(year.untimely.slice(0, 10), said).toEqual([]);
  // A zero that was only provisional is corrected, and a whole year contains one.
  expect(year.uncorrected, said).toEqual([]);
  if (part === 1) expect(year.early.size, said).toBeGreaterThan(0);
  // Never publishing an idle day would not be correct either.
  expect(year.pastZeros, said).toBe(year.idle);
  expect(year.idle, said).toBeGreaterThan(300 * part);
  expect(year.liveZeros, said).toBeGreaterThan(10 * part);
  expect(year.revisions, said).toBeGreaterThan(50 * part);
  // Nor would a year with little to compare.
  expect(year.compared, said).toBeGreaterThan(40_000 * part);
  expect(year.open / year.compared, said).toBeLessThan(0.1);
  expect(year.excused / year.timely, said).toBeLessThan(0.4);
}
