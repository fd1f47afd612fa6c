import { ownMetrics } from '../../../src/exposition/own-metrics.ts';
import type { Described, Expression } from '../expression.ts';

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

const TARGET = '{job=~"$job"}';
/** Every target has `up`, and many have the others: only the exporter's targets have this. */
const ANSWERS = `and on (job,instance) ${ownMetrics.buildInfo.name}${TARGET}`;
/** A dead exporter publishes nothing, but it did so within a week. */
const ANSWERED = `and on (job,instance) last_over_time(${ownMetrics.buildInfo.name}${TARGET}[7d])`;

/** Whether Prometheus could scrape each exporter: 0 or 1. */
export function exportersUp(): Expression {
  const { up } = processMetrics;
  return {
    text: `max by (job,instance) (${up.name}${TARGET} ${ANSWERED})`,
    about: [up, ownMetrics.buildInfo],
  };
}

/** A gauge of each exporter process; other targets have it too and are ignored. */
export function ofExporters(metric: Described): Expression {
  return { text: `max by (job,instance) (${metric.name}${TARGET} ${ANSWERS})`, about: [metric] };
}

/** The rate per second of a counter of each exporter process; other targets have it too and are ignored. */
export function rateOfExporters(metric: Described): Expression {
  const rate = `rate(${metric.name}${TARGET}[$__rate_interval])`;
  return { text: `sum by (job,instance) (${rate} ${ANSWERS})`, about: [metric] };
}

/** An own gauge of the exporter for each process, so that no replica hides another. */
export function ofEachExporter(metric: Described): Expression {
  return { text: `max by (job,instance) (${metric.name}${TARGET})`, about: [metric] };
}

/** The look of shares that should be 100 %: anything less is highlighted, and so is an absent one. */
export const WHOLE = {
  unit: 'percentunit',
  decimals: 0,
  steps: { warn: 0.999, alarm: 0.5, absence: 'alarm' },
} as const;
