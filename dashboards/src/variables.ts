import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import {
  type DatasourceVariableBuilder,
  QueryVariableBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { orgInfo } from '../../src/collectors/org-families.ts';
import { ownMetrics } from '../../src/exposition/own-metrics.ts';

/** The data source that the viewer selects. */
export const DATASOURCE = { type: 'prometheus', uid: '$datasource' } as const;

/** The variables of every dashboard whose metrics have an organization: data source, scrape job, platforms, organizations. */
export function commonVariables(): readonly (DatasourceVariableBuilder | QueryVariableBuilder)[] {
  const source = new dashboard.DatasourceVariableBuilder('datasource')
    .label('Data source')
    .description('The Prometheus server that scrapes the exporter')
    .type('prometheus');
  const job = labelVariable('job', 'Job', { metric: ownMetrics.buildInfo.name }).description(
    'The scrape job of the exporter',
  );
  const platform = labelVariable('platform', 'Platform', {
    metric: `${orgInfo.name}{job=~"$job"}`,
  }).description('Platforms, whose organizations can be selected');
  const org = labelVariable('org', 'Organization', {
    metric: `${orgInfo.name}{job=~"$job",platform=~"$platform"}`,
  })
    .description('Organizations of the selected platforms; values are summed over the selected ones')
    // All of them are those of the platforms, and no others.
    .allValue('');
  return [source, job, platform, org];
}

/** Selects the series of some metrics of organizations. */
export function seriesOf(...metrics: readonly { readonly name: string }[]): string {
  const names = metrics.map(({ name }) => name).join('|');
  const chosen = 'job=~"$job",org=~"$org"';
  return metrics.length === 1 ? `${names}{${chosen}}` : `{__name__=~"${names}",${chosen}}`;
}

/** A variable with the values of a metric's label in the time range; all are selected by default. */
export function labelVariable(
  name: string,
  title: string,
  { metric, label = name }: { readonly metric: string; readonly label?: string },
): QueryVariableBuilder {
  const query = `label_values(${metric}, ${label})`;
  return new QueryVariableBuilder(name)
    .label(title)
    .datasource(DATASOURCE)
    .query({ query, refId: `${name}-values` })
    .definition(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalCaseInsensitiveAsc)
    .multi(true)
    .includeAll(true)
    .allValue('.+')
    .current({ selected: true, text: ['All'], value: ['$__all'] });
}
