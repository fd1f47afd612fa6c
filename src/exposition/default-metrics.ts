import type { Registry } from 'prom-client';
import eventLoopLag from 'prom-client/lib/metrics/eventLoopLag.js';
import heapSizeAndUsed from 'prom-client/lib/metrics/heapSizeAndUsed.js';
import heapSpacesSizeAndUsed from 'prom-client/lib/metrics/heapSpacesSizeAndUsed.js';
import osMemoryHeap from 'prom-client/lib/metrics/osMemoryHeap.js';
import processCpuTotal from 'prom-client/lib/metrics/processCpuTotal.js';
import processHandles from 'prom-client/lib/metrics/processHandles.js';
import processMaxFileDescriptors from 'prom-client/lib/metrics/processMaxFileDescriptors.js';
import processOpenFileDescriptors from 'prom-client/lib/metrics/processOpenFileDescriptors.js';
import processRequests from 'prom-client/lib/metrics/processRequests.js';
import processResources from 'prom-client/lib/metrics/processResources.js';
import processStartTime from 'prom-client/lib/metrics/processStartTime.js';
import version from 'prom-client/lib/metrics/version.js';

/**
 * prom-client's metrics of the Node.js process, in its order, without those of garbage collection: of several collections
 * in a row it counts one, and being told about each takes a tenth of the CPU of a scrape.
 */
const METRICS = [
  ...[processCpuTotal, processStartTime, osMemoryHeap, processOpenFileDescriptors, processMaxFileDescriptors],
  ...[eventLoopLag, processResources, processHandles, processRequests],
  ...[heapSizeAndUsed, heapSpacesSizeAndUsed, version],
];

// These gauges are named like counters; the unsuffixed metrics with a type label have the same values.
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
] as const;

/** How often the delay of the event loop is measured, in milliseconds. */
const PRECISION_MS = 10;

/** Adds the metrics of this process to a registry. */
export function addDefaultMetrics(registry: Registry): void {
  for (const collect of METRICS) collect(registry, { eventLoopMonitoringPrecision: PRECISION_MS });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
}
