import { expect } from 'vitest';
import type { Page } from './page.ts';

/**
 * Fails until the first run of each of these collectors is complete. Earlier pages have the newest day but not yet the
 * days before it; later ones differ from this one only if the platform does, so that it is the page to compare with.
 */
export function expectSettled(page: Page, collectors: readonly string[]): void {
  const success = page.by('collector', 'agent_platform_exporter_collector_success');
  expect(success).toEqual(Object.fromEntries(collectors.map((name) => [name, 1])));
  const uncovered = page.by('dataset', 'agent_platform_history_uncovered');
  expect(uncovered).toEqual(Object.fromEntries(Object.keys(uncovered).map((name) => [name, 0])));
}
