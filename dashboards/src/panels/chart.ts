import {
  BarAlignment,
  GraphDrawStyle,
  GraphGradientMode,
  LegendDisplayMode,
  LegendPlacement,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { DAY_MS, dressed, type PanelSpec, type Placed } from './panel.ts';

/** The units of counts. */
const COUNTS: ReadonlySet<string> = new Set(['short', 'none']);

/** The gap that a line with `span` bridges. */
const LONG_WEEKEND_MS = 4.5 * DAY_MS;

interface ChartSpec extends PanelSpec {
  /** Whether lines continue over a weekend without a value. */
  readonly span?: boolean;
  readonly stack?: 'values' | 'shares';
  readonly width?: number;
  readonly height?: number;
  /** The statistics of each series in the legend. */
  readonly calcs?: readonly string[];
}

/** Bars, one for each UTC day or week, from its first instant to its last. */
export function bars(spec: ChartSpec): Placed {
  const weekly = spec.queries.some(({ shape }) => shape === 'weeks');
  const builder = new PanelBuilder()
    .drawStyle(GraphDrawStyle.Bars)
    .barAlignment(weekly ? BarAlignment.Before : BarAlignment.After)
    .barWidthFactor(0.8)
    .fillOpacity(85)
    .lineWidth(0);
  return placed(builder, spec);
}

/** Lines; an unknown day is a gap. */
export function lines(spec: ChartSpec): Placed {
  const daily = spec.queries.some(({ shape }) => shape === 'days');
  const builder = new PanelBuilder()
    .drawStyle(GraphDrawStyle.Line)
    .lineWidth(2)
    .fillOpacity(spec.stack === undefined ? 0 : 70)
    .pointSize(4)
    .showPoints(daily ? VisibilityMode.Auto : VisibilityMode.Never)
    .spanNulls(spec.span === true ? LONG_WEEKEND_MS : false);
  if (daily) builder.insertNulls(DAY_MS);
  return placed(builder, spec);
}

function placed(builder: PanelBuilder, spec: ChartSpec): Placed {
  const { width = 12, height = 8, stack, queries, calcs = [] } = spec;
  const several = queries.length > 1 || queries.some(({ legend }) => legend.includes('{{'));
  builder
    .gradientMode(GraphGradientMode.None)
    .axisBorderShow(false)
    .axisSoftMin(0)
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
    .legend(
      new VizLegendOptionsBuilder()
        .showLegend(several)
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .calcs([...calcs]),
    );
  // Otherwise the axis of a panel with only zeros would go up to 100.
  if (COUNTS.has(spec.unit ?? 'short')) builder.axisSoftMax(1);
  if (stack !== undefined)
    builder.stacking(
      new StackingConfigBuilder()
        .mode(stack === 'shares' ? StackingMode.Percent : StackingMode.Normal)
        .group('A'),
    );
  return { title: spec.title, width, height, panel: dressed(builder, spec) };
}
