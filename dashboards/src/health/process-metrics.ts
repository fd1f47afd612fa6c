import type { Described } from '../expression.ts';

/** A metric of each process that the catalogue does not declare: Node's own, or Prometheus' metric about a target. */
function ofEachProcess(name: string, help: string, source: string): Described<'instance'> {
  return { name, labels: ['instance'], help, source };
}

/** The process metrics of the dashboards. */
export const processMetrics = {
  up: ofEachProcess('up', 'Whether Prometheus could scrape the target.', 'Prometheus'),
  cpu: ofEachProcess('process_cpu_seconds_total', 'CPU time of the process.', 'Node.js'),
  memory: ofEachProcess('process_resident_memory_bytes', 'Resident memory of the process.', 'Node.js'),
  loopLag: ofEachProcess('nodejs_eventloop_lag_p99_seconds', 'Event loop delay, 99th percentile.', 'Node.js'),
} as const;
