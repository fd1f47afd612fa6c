import { PanelBuilder } from '@grafana/grafana-foundation-sdk/bargauge';
import {
  BarGaugeDisplayMode,
  BarGaugeValueMode,
  ReduceDataOptionsBuilder,
  VizOrientation,
} from '@grafana/grafana-foundation-sdk/common';
import { dressed, type PanelSpec, type Placed } from './panel.ts';

/** Horizontal bars for a few series, each from `min` to `max`. */
export function meter(spec: PanelSpec & { readonly width?: number; readonly height?: number }): Placed {
  const { width = 8, height = 8 } = spec;
  const builder = new PanelBuilder()
    .displayMode(BarGaugeDisplayMode.Basic)
    .valueMode(BarGaugeValueMode.Color)
    .orientation(VizOrientation.Horizontal)
    .showUnfilled(true)
    .minVizHeight(16)
    .reduceOptions(new ReduceDataOptionsBuilder().values(false).calcs(['lastNotNull']));
  return { width, height, panel: dressed(builder, { min: 0, ...spec, plain: spec.steps !== undefined }) };
}
