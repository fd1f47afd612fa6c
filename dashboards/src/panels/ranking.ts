import {
  BarGaugeDisplayMode,
  BarGaugeValueMode,
  TableCellDisplayMode,
} from '@grafana/grafana-foundation-sdk/common';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table';
import { palette } from '../palette.ts';
import { dressed, type PanelSpec, type Placed } from './panel.ts';

export interface RankingSpec extends PanelSpec {
  /** The title of the first column: what is ranked. */
  readonly what: string;
  /** The title of the second column. */
  readonly value: string;
  /** How the points of a series are reduced to a number: by their sum by default. */
  readonly reduce?: 'sum' | 'mean' | 'lastNotNull' | 'max';
  readonly width?: number;
  readonly height?: number;
}

/** Series by their number over the range, largest first, each with a bar; scrolls if there are many. */
export function ranking(spec: RankingSpec): Placed {
  const { what, value, reduce = 'sum', width = 8, height = 8 } = spec;
  const reduced = REDUCED[reduce];
  const builder = new PanelBuilder()
    .withTransformation({ id: 'reduce', options: { reducers: [reduce], mode: 'seriesToRows' } })
    .withTransformation({ id: 'sortBy', options: { sort: [{ field: reduced, desc: true }] } })
    .withTransformation({ id: 'organize', options: { renameByName: { Field: what, [reduced]: value } } })
    .overrideByName(value, [
      {
        id: 'custom.cellOptions',
        value: {
          type: TableCellDisplayMode.Gauge,
          mode: BarGaugeDisplayMode.Basic,
          valueDisplayMode: BarGaugeValueMode.Text,
        },
      },
      { id: 'color', value: { mode: 'fixed', fixedColor: palette.main } },
    ]);
  return { width, height, panel: dressed(builder, { min: 0, ...spec, plain: true }) };
}

/** The transformation's names of the columns. */
const REDUCED = { sum: 'Total', mean: 'Mean', lastNotNull: 'Last *', max: 'Max' } as const;
