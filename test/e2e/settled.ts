import { expect } from 'vitest';
import type { Page } from './page.ts';

const DAY_S = 24 * 60 * 60;

/**
 * Fails until the first run of each of these collectors is complete. Earlier pages have the newest day but not yet the
 * days before it; later ones differ from this one only if the platform does, so that it is the page to compare with. By
 * the machine's date, given as `now` in milliseconds, the newest days may have no row, because nobody was active.
 */
export function expectSettled(page: Page, collectors: readonly string[], now?: number): void {
  const success = page.by('collector', 'agent_platform_exporter_collector_success');
  expect(success).toEqual(Object.fromEntries(collectors.map((name) => [name, 1])));
  const uncovered = page.by('dataset', 'agent_platform_history_uncovered');
  const expected = now === undefined ? () => 0 : (dataset: string) => daysWithoutRow(page, { dataset }, now);
  expect(uncovered).toEqual(Object.fromEntries(Object.keys(uncovered).map((name) => [name, expected(name)])));
}

/** How many days have ended since the newest published day of a dataset; `labels` name it. */
export function daysWithoutRow(page: Page, labels: Readonly<Record<string, string>>, now: number): number {
  const newest = page.value('agent_platform_data_day_timestamp_seconds', labels);
  return Math.floor(now / 1000 / DAY_S) - 1 - (newest ?? Number.NaN) / DAY_S;
}
