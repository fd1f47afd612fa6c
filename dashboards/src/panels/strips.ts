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

/** From which share on how strong: one colour, so that no sense of hue is needed, on a dark and on a light ground. */
const SHADES = [
  { value: null, color: 'transparent' },
  { value: 0.001, color: 'rgba(86, 180, 233, 0.12)' },
  { value: 0.05, color: 'rgba(86, 180, 233, 0.3)' },
  { value: 0.15, color: 'rgba(86, 180, 233, 0.5)' },
  { value: 0.3, color: 'rgba(86, 180, 233, 0.75)' },
  { value: 0.5, color: 'rgb(86, 180, 233)' },
];

export interface StripsSpec extends Omit<PanelSpec, 'unit'> {
  readonly width?: number;
  readonly height?: number;
}

/**
 * A row for each series and a cell for each day, the stronger the larger, of ratios: for open-ended labels such as
 * models, of which there are more than colours that can be told apart.
 */
export function strips(spec: StripsSpec): Placed {
  const { width = 12, height = 8 } = spec;
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
    .thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(SHADES))
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.Thresholds));
  return { width, height, panel };
}
