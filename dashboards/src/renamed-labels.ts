import { readinessFamilies as readiness } from '../../src/collectors/readiness/collector.ts';
import { userFamilies as people } from '../../src/collectors/users/collector.ts';
import { personFamilies as persons } from '../../src/collectors/users/person-families.ts';
import { ownMetrics } from '../../src/exposition/own-metrics.ts';
import type { Described } from './expression.ts';

/** A label that operators also put on targets, and the family with the fewest series that has it. */
interface RenamableLabel {
  readonly label: string;
  readonly family: Described;
}

/** The labels whose meaning is lost if a target has labels of the same names. */
export const renamableLabels: readonly RenamableLabel[] = [
  { label: 'org', family: ownMetrics.collectorSuccess },
  { label: 'team', family: people.dailyCreditsByTeam },
  { label: 'repo', family: readiness.readinessReportTimestampSeconds },
  { label: 'user', family: persons.userInfo },
];

/**
 * PromQL for the number of values of a label, by job, that Prometheus has moved to `exported_…` because the target has a
 * label of the same name; no result if there are none. A selector that no series matches costs next to nothing.
 */
export function renamedValues({ label, family }: RenamableLabel, where = ''): string {
  const exported = `exported_${label}`;
  return `count by (job) (max by (job,${exported}) (${family.name}{${where}${exported}!=""}))`;
}
