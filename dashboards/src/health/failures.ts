import { ownMetrics } from '../../../src/exposition/own-metrics.ts';
import { type Expression, newest, promql } from '../expression.ts';

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
    because(unserved, 'no exporter answers'),
    because(promql`(count(${success}) unless on () (${failing} or ${unserved}))`, 'nothing fails'),
  ];
}

function because({ text, about }: Expression, reason: string): Expression {
  return { text: `label_replace(${text}, "reason", "${reason}", "", "")`, about };
}
