import { expect } from 'vitest';
import type { Page } from './page.ts';

/**
 * Fails until the first run of each of these collectors is complete. Earlier pages have the newest day but not yet the
 * days before it; later ones differ from this one only if the platform does, so that it is the page to compare with.
 * `emptyDays`: so many of the newest days may have no row, because nobody was active.
 */
export function expectSettled(page: Page, collectors: readonly string[], emptyDays = 0): void {
  const success = page.by('collector', 'agent_platform_exporter_collector_success');
  expect(success).toEqual(Object.fromEntries(collectors.map((name) => [name, 1])));
  const uncovered = page.by('dataset', 'agent_platform_history_uncovered');
  for (const [dataset, days] of Object.entries(uncovered))
    expect(days, `uncovered days of ${dataset}`).toBeLessThanOrEqual(emptyDays);
}
