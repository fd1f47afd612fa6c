import * as prometheus from '@grafana/grafana-foundation-sdk/prometheus';
import { type DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import type { Expression } from './expression.ts';
import { DATASOURCE } from './variables.ts';

/** A query of a panel, and how what it answers looks there. */
export interface Query {
  readonly expression: Expression;
  /** What a series is called, with labels as `{{label}}`. */
  readonly legend: string;
  /** `days`: one point a day; `range`: a point a step; `now`: one point; `rows`: a table's rows. */
  readonly shape: 'days' | 'range' | 'now' | 'rows';
  readonly look: Look;
}

/** How one query's series differ from the others of the panel. */
export interface Look {
  readonly colour?: string;
  /** The colours of the series of these names; others have the query's. */
  readonly colours?: Readonly<Record<string, string>>;
  readonly unit?: string;
  readonly decimals?: number;
  /** Drawn as a line over bars, or the other way round. */
  readonly draw?: 'line' | 'dashes' | 'bars';
  /** On an axis of its own, on the right. */
  readonly axis?: string;
}

/** One point for each UTC day. */
export function days(expression: Expression, legend: string, look: Look = {}): Query {
  return { expression, legend, shape: 'days', look };
}

/** A line over the whole range. */
export function line(expression: Expression, legend: string, look: Look = {}): Query {
  return { expression, legend, shape: 'range', look };
}

/** The present values. */
export function now(expression: Expression, legend: string, look: Look = {}): Query {
  return { expression, legend, shape: 'now', look };
}

/** The present values as rows of a table. */
export function rows(expression: Expression): Query {
  return { expression, legend: '', shape: 'rows', look: {} };
}

const DAY_STEP = '1d';

/** The query as Grafana takes it. */
export function targetOf({ expression, legend, shape }: Query, refId: string): DataqueryBuilder {
  const target = new prometheus.DataqueryBuilder()
    .datasource(DATASOURCE)
    .refId(refId)
    .expr(expression.text)
    .legendFormat(legend)
    .format(shape === 'rows' ? PromQueryFormat.Table : PromQueryFormat.TimeSeries);
  if (shape === 'now' || shape === 'rows') return target.instant();
  return shape === 'days' ? target.range().interval(DAY_STEP) : target.range();
}
