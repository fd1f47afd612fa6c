import { ownMetrics } from '../../../src/exposition/own-metrics.ts';
import { type Expression, named, newest, promql } from '../expression.ts';

const { collectorSuccess, collectorFailing } = ownMetrics;
const success = newest(collectorSuccess);
const failing = promql`(${newest(collectorFailing)} == 1)`;
/** The organizations with a run within a week. */
const served: Expression = {
  text: `max by (org) (last_over_time(${collectorSuccess.name}{job=~"$job",org=~"$org"}[7d:5m]))`,
  about: [collectorSuccess],
};
const unserved = promql`(${served} unless on (org) ${success})`;

/**
 * What fails: a row for each collector whose last run failed, and for each organization that no exporter serves any
 * more. If nothing fails a single row says so, because a table without rows can also mean that nothing is known.
 */
export function failures(): readonly Expression[] {
  return [
    failing,
    named(unserved, 'reason', 'no exporter answers'),
    named(promql`(count(${success}) unless on () (${failing} or ${unserved}))`, 'reason', 'nothing fails'),
  ];
}
