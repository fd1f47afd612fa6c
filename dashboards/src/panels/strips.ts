import {
  LegendDisplayMode,
  LegendPlacement,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  FieldColorBuilder,
  FieldColorModeId,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/statushistory';
import { dressed, type PanelSpec, type Placed } from './panel.ts';

/** A single hue, readable with colour blindness, on dark and light backgrounds. */
const SHADES = [0.12, 0.3, 0.5, 0.75, 1].map((strength) => `rgba(86, 180, 233, ${strength})`);
/** The lower bound of each shade, as a share. */
const SHARES = [0.001, 0.05, 0.15, 0.3, 0.5];

export interface StripsSpec extends Omit<PanelSpec, 'unit'> {
  /** The lower bounds of the five shades, as ratios. */
  readonly bounds?: readonly number[];
  readonly width?: number;
  readonly height?: number;
}

/**
 * A row for each series and a cell for each day, with stronger colours for larger ratios: for open-ended labels such as
 * models, of which there are more than distinguishable colours.
 */
export function strips(spec: StripsSpec): Placed {
  const { width = 12, height = 8, bounds = SHARES } = spec;
  const shades = bounds.map((value, index) => ({ value, color: SHADES[index] ?? 'transparent' }));
  const builder = new PanelBuilder()
    .showValue(VisibilityMode.Never)
    .rowHeight(0.85)
    .colWidth(0.9)
    .fillOpacity(90)
    .lineWidth(0)
    .legend(
      new VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Single));
  const panel = dressed(builder, { unit: 'percentunit', decimals: 0, min: 0, max: 1, ...spec, plain: true })
    .thresholds(
      new ThresholdsConfigBuilder()
        .mode(ThresholdsMode.Absolute)
        .steps([{ value: null, color: 'transparent' }, ...shades]),
    )
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.Thresholds));
  return { width, height, panel };
}
