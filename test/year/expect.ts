import { afterAll, beforeAll, expect } from 'vitest';
import type { YearReport } from './year.ts';

/** Lets the tests of a file run in a time zone with summer time, of which nothing may depend. */
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
 * Fails where a year was not as it must be, or the `part` of one that was lived through; `replay` is the command that
 * makes the same one again.
 */
export function expectGoodYear(year: YearReport, replay: string, part = 1): void {
  const said = `replay with: ${replay}`;
  expect(year.wrong.slice(0, 10), said).toEqual([]);
  expect(year.untimely.slice(0, 10), said).toEqual([]);
  // A zero that was only provisional is corrected, and a whole year has one.
  expect(year.uncorrected, said).toEqual([]);
  if (part === 1) expect(year.early.size, said).toBeGreaterThan(0);
  // Whoever never says that a day was idle is not right either.
  expect(year.pastZeros, said).toBe(year.idle);
  expect(year.idle, said).toBeGreaterThan(300 * part);
  expect(year.liveZeros, said).toBeGreaterThan(10 * part);
  expect(year.revisions, said).toBeGreaterThan(50 * part);
  // Nor is a year in which there was little to compare.
  expect(year.compared, said).toBeGreaterThan(40_000 * part);
  expect(year.open / year.compared, said).toBeLessThan(0.1);
  expect(year.excused / year.timely, said).toBeLessThan(0.4);
}
