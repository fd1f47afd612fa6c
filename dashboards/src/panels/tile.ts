import {
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  ReduceDataOptionsBuilder,
  VizOrientation,
  VizTextDisplayOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { isOfOnePlatform } from '../expression.ts';
import { dressed, type PanelSpec, type Placed } from './panel.ts';

interface TileSpec extends PanelSpec {
  /** How the points of a query are reduced to a number: by the last one by default. */
  readonly reduce?: 'lastNotNull' | 'sum' | 'max' | 'mean';
  /** Whether to show the names of the series instead of their values. */
  readonly named?: boolean;
  /** Whether the numbers are beside their names in a line of text, for a panel of little height. */
  readonly inOneLine?: boolean;
  readonly width?: number;
  readonly height?: number;
}

/** In pixels; the same everywhere, so that short numbers are not larger. */
const VALUE_SIZE = 36;
const NAME_SIZE = 14;
/** Columns from which a tile is wide. */
const WIDE = 12;

/** One or a few large numbers. */
export function tile(spec: TileSpec): Placed {
  const { reduce = 'lastNotNull', width = 4, height = 4, inOneLine = false } = spec;
  const builder = new PanelBuilder()
    .graphMode(BigValueGraphMode.None)
    .colorMode(BigValueColorMode.Value)
    .textMode(textModeOf(spec))
    .orientation(VizOrientation.Auto)
    .wideLayout(inOneLine)
    .text(
      new VizTextDisplayOptionsBuilder().valueSize(inOneLine ? NAME_SIZE : VALUE_SIZE).titleSize(NAME_SIZE),
    )
    .reduceOptions(new ReduceDataOptionsBuilder().values(false).calcs([reduce]));
  return {
    title: spec.title,
    width,
    height,
    panel: dressed(builder, { noValue: noValueOf(spec, width), ...spec, large: true }),
  };
}

/** What is in place of a number: text as large as numbers, of which a narrow tile has little. */
function noValueOf({ queries }: TileSpec, width: number): string {
  if (!queries.some(({ expression }) => isOfOnePlatform(expression))) return 'Not known';
  return width < WIDE ? 'Of one platform only' : 'Not known, or of several platforms';
}

function textModeOf({ named = false, queries }: TileSpec): BigValueTextMode {
  if (named) return BigValueTextMode.Name;
  const several = queries.length > 1 || queries.some(({ legend }) => legend.includes('{{'));
  return several ? BigValueTextMode.ValueAndName : BigValueTextMode.Value;
}
