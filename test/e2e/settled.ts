import { expect } from 'vitest';
import { isOfPlatform, type Page } from './page.ts';

const DAY_S = 24 * 60 * 60;
/** Of metrics that no collector publishes. */
const OF_HOOKS = 'agent_platform_hook_';
const UNCOVERED = 'agent_platform_history_uncovered';

/**
 * Fails until the first run of each of these collectors is complete and on the page, which follows within seconds. Earlier
 * pages have the newest day but not yet the days before it; later ones differ from this one only if the platform does, so
 * that it is the page to compare with. The newest days may have no row, because nobody was active; `now` is the platform's
 * time in milliseconds.
 */
export function expectSettled(page: Page, collectors: readonly string[], now: number): void {
  const success = page.by('collector', 'agent_platform_exporter_collector_success');
  expect(success).toEqual(Object.fromEntries(collectors.map((name) => [name, 1])));
  expectCovered(page, Object.keys(page.by('dataset', UNCOVERED)), now);
  expectWhole(page);
}

/** Fails while a publication is under way. */
export function expectWhole(page: Page): void {
  const series = page.find('agent_platform_exporter_series').map(({ value }) => Number(value));
  const onPage = page.samples.filter(({ name }) => isOfPlatform(name) && !name.startsWith(OF_HOOKS));
  expect(onPage.length, 'series on the page').toBe(series.reduce((sum, more) => sum + more, 0));
}

/** Fails while a day of these datasets is uncovered, other than those since the newest published one. */
export function expectCovered(page: Page, datasets: readonly string[], now: number): void {
  for (const dataset of datasets)
    expect(page.value(UNCOVERED, { dataset }), `uncovered days of ${dataset}`).toBe(
      daysWithoutRow(page, { dataset }, now),
    );
}

/** How many days have ended since the newest published day of a dataset; `labels` name it. */
export function daysWithoutRow(page: Page, labels: Readonly<Record<string, string>>, now: number): number {
  const newest = page.value('agent_platform_data_day_timestamp_seconds', labels);
  return Math.floor(now / 1000 / DAY_S) - 1 - (newest ?? Number.NaN) / DAY_S;
}
