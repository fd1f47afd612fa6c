import { collectDefaultMetrics, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { addDefaultMetrics } from '../../src/exposition/default-metrics.ts';

test('metrics of the process are those of prom-client, except for three misnamed ones and garbage collection', () => {
  const [own, whole] = [new Registry(), new Registry()];
  addDefaultMetrics(own);
  collectDefaultMetrics({ register: whole });
  const namesIn = (registry: Registry) => registry.getMetricsAsArray().map(({ name }) => name);
  const kept = new Set(namesIn(own));
  const left = namesIn(whole).filter((name) => !kept.has(name));
  expect(left.toSorted()).toEqual([
    'nodejs_active_handles_total',
    'nodejs_active_requests_total',
    'nodejs_active_resources_total',
    'nodejs_gc_duration_seconds',
  ]);
  expect(namesIn(own)).toEqual(namesIn(whole).filter((name) => kept.has(name)));
});
