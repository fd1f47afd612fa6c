import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { HookInstruments } from '../../src/intake/metrics.ts';
import { NOW } from './parts.ts';

function stored(count: number, ends: number) {
  return {
    events: new Map([['Stop', { count, lastAt: NOW }]]),
    ends: new Map([['logout', ends]]),
    waitingUntil: [],
    waits: [],
  };
}

test('a database that was restored to earlier counts takes nothing from the counters, and its new events are added', async () => {
  const registry = new Registry();
  const instruments = new HookInstruments(registry, () => 0);
  instruments.counted(stored(10, 5));
  instruments.counted(stored(4, 1));
  instruments.counted(stored(6, 2));
  const text = await registry.metrics();
  expect(text).toContain('agent_platform_hook_events_total{event="Stop"} 12');
  expect(text).toContain('agent_platform_hook_session_ends_total{reason="logout"} 6');
});

test('waits of types that another release has counted are unknown ones, added up, and never fewer than before', async () => {
  const registry = new Registry();
  const instruments = new HookInstruments(registry, () => 0);
  const wait = (type: string, count: number) => ({ type, bound: 5, count, ms: count * 2_000 });
  const shown = (...waits: readonly ReturnType<typeof wait>[]) =>
    instruments.counted({ ...stored(0, 0), waits });
  shown(wait('of_tomorrow', 3), wait('unknown', 4));
  shown(wait('of_tomorrow', 1), wait('unknown', 5));
  shown(wait('of_tomorrow', 2), wait('unknown', 5));
  const text = await registry.metrics();
  expect(text).toContain('agent_platform_hook_wait_seconds_count{notification_type="unknown"} 9\n');
  expect(text).toContain('agent_platform_hook_wait_seconds_sum{notification_type="unknown"} 18\n');
});
