import type { Described } from '../expression.ts';

/** A metric of each process that the catalogue does not declare: Node's own, or Prometheus's about a target. */
function ofEachProcess(name: string, help: string, source: string): Described<'instance'> {
  return { name, labels: ['instance'], help, source };
}

/** The metrics about each process that the dashboards show. */
export const processMetrics = {
  up: ofEachProcess('up', 'Whether Prometheus could scrape the target.', 'Prometheus'),
  cpu: ofEachProcess('process_cpu_seconds_total', 'Processor time of the process.', 'Node.js'),
  memory: ofEachProcess('process_resident_memory_bytes', 'Memory of the process that is in RAM.', 'Node.js'),
  loopLag: ofEachProcess(
    'nodejs_eventloop_lag_p99_seconds',
    'How late the event loop ran what was due, 99th percentile.',
    'Node.js',
  ),
} as const;
