import * as prometheus from '@grafana/grafana-foundation-sdk/prometheus';
import { type DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import type { Expression } from './expression.ts';
import { DATASOURCE } from './variables.ts';

/** A query of a panel and the look of its series. */
export interface Query {
  readonly expression: Expression;
  /** The legend of a series, with labels as `{{label}}`. */
  readonly legend: string;
  /** `days`, `weeks`: one point for each; `range`: a point per step; `now`: one point; `rows`: a table's rows. */
  readonly shape: 'days' | 'weeks' | 'range' | 'now' | 'rows';
  readonly look: Look;
}

/** Lower bounds of `warn` and `alarm`, or upper bounds if `alarm` is the lower one. */
export interface Steps {
  readonly warn: number;
  readonly alarm: number;
  /** Whether an absent value is a reason for alarm. */
  readonly absence?: 'calm' | 'alarm';
}

/** How one query's series differ from the others of the panel. */
export interface Look {
  readonly colour?: string;
  /** The colours of the series with these names; others have the query's. */
  readonly colours?: Readonly<Record<string, string>>;
  /**
   * Gives each series a colour of its own by its position, for labels whose values are not known: `series` for four at
   * most, as the fifth is red, and `shades` of the query's colour for any number.
   */
  readonly palette?: 'series' | 'shades';
  readonly unit?: string;
  readonly decimals?: number;
  /** Colours by value instead of one colour. */
  readonly steps?: Steps;
  /** Draws a line over bars, or bars under lines. */
  readonly draw?: 'line' | 'dashes' | 'bars';
  /** Measures against an axis of its own, on the right. */
  readonly onTheRight?: boolean;
}

/** Queries of a shape. */
function queryOf(shape: Query['shape']) {
  return (expression: Expression, legend = '', look: Look = {}): Query => ({
    expression,
    legend,
    shape,
    look,
  });
}

/** One point per UTC day. */
export const days = queryOf('days');
/** One point per week, from a Thursday to a Wednesday, at its end. */
export const weeks = queryOf('weeks');
/** A line over the whole range. */
export const line = queryOf('range');
/** The current values. */
export const now = queryOf('now');

/** The current values as rows of a table. */
export function rows(expression: Expression): Query {
  return { expression, legend: '', shape: 'rows', look: {} };
}

/** The steps of days and weeks. */
export const STEPS = { days: '1d', weeks: '7d' } as const;

/** The query in Grafana's format. */
export function targetOf({ expression, legend, shape }: Query, refId: string): DataqueryBuilder {
  const target = new prometheus.DataqueryBuilder()
    .datasource(DATASOURCE)
    .refId(refId)
    .expr(expression.text)
    .legendFormat(legend)
    .format(shape === 'rows' ? PromQueryFormat.Table : PromQueryFormat.TimeSeries);
  if (shape === 'now' || shape === 'rows') return target.instant();
  return shape === 'range' ? target.range() : target.range().interval(STEPS[shape]);
}
