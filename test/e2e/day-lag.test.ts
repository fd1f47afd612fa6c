import { describe, expect, test } from 'vitest';
import { HOUR, startStory } from './harness.ts';

const PUBLISHED = 'agent_platform_exporter_day_published_lag_seconds';
const SETTLED = 'agent_platform_exporter_day_settled_lag_seconds';
// A Tuesday: every day is one of work.
const MIDNIGHT = Date.UTC(2026, 10, 17);

describe('the lag of a platform that is late', () => {
  test('is that with which it publishes its days, within the polling interval', async () => {
    const story = await startStory({
      scheduled: true,
      begins: MIDNIGHT + HOUR / 2,
      collectors: ['tokens', 'tools'],
    });
    /** Until then, the platform has no rows of tokens for the newest day. */
    const hours = 6;
    for (let hour = 1; hour < 4 * 24; hour += 1) {
      story.platform.setFaults(hour % 24 < hours ? ['late=1@tokens'] : []);
      story.clock.advance(HOUR - 2_000);
      await story.poll();
    }
    const page = await story.page();
    const of = (dataset: string, name = PUBLISHED) => page.value(`${name}_count`, { dataset });
    const mean = (dataset: string) =>
      (page.value(`${PUBLISHED}_sum`, { dataset }) ?? 0) / (of(dataset) ?? 0) / 3600;
    expect(of('tokens')).toBe(3);
    expect(mean('tokens')).toBeCloseTo(hours + 0.5, 1);
    expect(of('tools')).toBe(3);
    expect(mean('tools')).toBeCloseTo(0.5, 1);
    expect(page.value(`${PUBLISHED}_bucket`, { dataset: 'tokens', le: '43200' })).toBe(3);
    expect(page.value(`${PUBLISHED}_bucket`, { dataset: 'tokens', le: '21600' })).toBe(0);
    expect(of('tokens', SETTLED)).toBe(0);
  });
});
