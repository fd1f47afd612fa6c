import {
  type AnnotationQuery,
  type Dashboard,
  QueryVariableBuilder,
  VariableHide,
  type VariableModel,
  VariableRefresh,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { recordedNameOf } from '../../src/catalog/recorded.ts';
import { dataDayTimestamp } from '../../src/collectors/org-families.ts';
import { annotation } from './annotations.ts';
import { palette } from './palette.ts';
import { RAW, RECORDED } from './promql.ts';
import { DATASOURCE } from './variables.ts';

/** The days that there are; every collector is recorded at the same time. */
const DATA_DAY = `${dataDayTimestamp.name}{dataset="tokens",job=~"$job",org=~"$org"}`;
const RECORDED_DAY = `${recordedNameOf(dataDayTimestamp.name)}{dataset="tokens",org=~"$org"}`;

/** How often to look at the exporter's own days: each scrape of a year would take a second, and a backfill's stamps are at noon. */
const GRID = '6h';

/** Adds what chooses between recorded series and the exporter's own, if the dashboard has queries in both forms. */
export function withRecording(dashboard: Dashboard): Dashboard {
  if (!JSON.stringify(dashboard.panels).includes(`${RECORDED}(`)) return dashboard;
  const { templating, annotations } = dashboard;
  return {
    ...dashboard,
    templating: { ...templating, list: [...(templating.list ?? []), ...recordingVariables()] },
    annotations: { ...annotations, list: [...(annotations.list ?? []), recordingBegan()] },
  };
}

/**
 * Two hidden variables that choose the form of the day queries: `last_over_time` or `max by` for the one that is evaluated,
 * `#` for the one that becomes a comment. Recorded series are chosen if there are any at the end of the time range and if they
 * cover it as far as the exporter's own series do.
 */
function recordingVariables(): readonly VariableModel[] {
  return [
    formVariable(RECORDED, { recorded: 'last_over_time', raw: '#' }),
    formVariable(RAW, { recorded: '#', raw: 'max by' }),
  ];
}

function formVariable(reference: string, form: { readonly recorded: string; readonly raw: string }) {
  const name = reference.slice(1);
  const complete = `count(last_over_time(${RECORDED_DAY}[1d])) unless on () count(${unrecorded()})`;
  const labelled = (text: string, result: string) => `label_replace(${result}, "form", "${text}", "", "")`;
  const query = `query_result(${labelled(form.recorded, complete)} or on () ${labelled(form.raw, 'vector(0)')})`;
  const variable = new QueryVariableBuilder(name)
    .label(name)
    .description(`Beginning of the ${name} form of the day queries, or # for a comment`)
    .datasource(DATASOURCE)
    .query({ query, refId: `${name}-form` })
    .definition(query)
    .regex('/form="([^"]+)"/')
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .hide(VariableHide.HideVariable)
    .current({ selected: true, text: form.raw, value: form.raw })
    .build();
  return { ...variable, skipUrlSync: true };
}

/** Marks the first recorded day in a range that has earlier days which are not recorded. */
function recordingBegan(): AnnotationQuery {
  const at = ' @ end()';
  return annotation({
    name: 'Recording began',
    iconColor: palette.quiet,
    expr: `1000 * max(${firstDay(RECORDED_DAY, at)}) and on () count(${unrecorded(at)})`,
    step: '1d',
    useValueForTime: true,
    titleFormat: 'Recording began',
    textFormat: 'Earlier days are not recorded, so that this range loads slowly. A backfill records them.',
  });
}

/** PromQL for the first data day of each organization within the time range. */
function firstDay(metric: string, at = '', step = ''): string {
  return `min by (org) (min_over_time(${metric}[$__range${step}]${at}))`;
}

/** PromQL for the organizations with earlier days than their first recorded one. */
function unrecorded(at = ''): string {
  const [raw, recorded] = [firstDay(DATA_DAY, at, `:${GRID}`), firstDay(RECORDED_DAY, at)];
  return `(${raw} < on (org) ${recorded} - 86400 or ${raw} unless on (org) ${recorded})`;
}
