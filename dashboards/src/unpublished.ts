import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { ownMetrics } from '../../src/exposition/own-metrics.ts';
import { isExcludable } from './catalogue.ts';
import { type Expression, promql } from './expression.ts';
import type { Row } from './layout.ts';
import { palette } from './palette.ts';
import { table } from './panels/table.ts';
import { rows } from './query.ts';

/** Shown instead of a number whose metric the configuration leaves out. */
export const UNPUBLISHED = { value: -987_654_321, text: 'Unpublished', colour: palette.quiet } as const;

/** The families of some metrics that are left out, by name. */
function leftOut(names: readonly string[]): Expression {
  const { familiesExcluded } = ownMetrics;
  const families = names.filter(isExcludable).toSorted().join('|');
  return {
    text: `max by (family) (${familiesExcluded.name}{job=~"$job",family=~"${families}"})`,
    about: [familiesExcluded],
  };
}

/** The number, or `UNPUBLISHED` where there is none and one of its metrics is left out. */
export function orUnpublished(number: Expression): Expression {
  if (!number.about.some(({ name }) => isExcludable(name))) return number;
  const { text } = leftOut(number.about.map(({ name }) => name));
  return {
    text: `(${number.text}) or on () ${UNPUBLISHED.value} * max(${text})`,
    about: number.about,
  };
}

/** A row that lists the metrics of the other rows that are left out; none where nothing can be left out. */
export function unpublishedOf(panels: Dashboard['panels']): readonly Row[] {
  const names = new Set(JSON.stringify(panels).match(/\bagent_platform_\w+/g));
  const excludable = [...names].filter(isExcludable);
  if (excludable.length === 0) return [];
  return [
    {
      title: 'What is not published?',
      panels: [
        table({
          title: 'Metrics of this dashboard that are left out',
          text: 'Metrics that panels of this dashboard need and that the setting metrics.exclude leaves out. A panel that says nothing, or less than it could, may be missing one of them.',
          queries: [rows(promql`${leftOut(excludable)}`)],
          columns: [{ of: 'family', title: 'Metric' }],
          sort: { by: 'Metric', desc: false },
          noValue: 'None known: nothing is left out, or no exporter answers',
          width: 24,
          height: 4,
        }),
      ],
    },
  ];
}
