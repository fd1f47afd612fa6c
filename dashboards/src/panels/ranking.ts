import {
  BarGaugeDisplayMode,
  BarGaugeValueMode,
  TableCellDisplayMode,
  TableFooterOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import type { DynamicConfigValue } from '@grafana/grafana-foundation-sdk/dashboard';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table';
import { palette } from '../palette.ts';
import { dressed, type PanelSpec, type Placed } from './panel.ts';

interface RankingSpec extends PanelSpec {
  /** The labels that identify what is ranked, each with the title of its column. */
  readonly labels: readonly RankedLabel[];
  /** The title of the last column. */
  readonly value: string;
  /** How the points of a series are reduced to a number: by their sum by default. */
  readonly reduce?: 'sum' | 'mean' | 'lastNotNull' | 'max';
  readonly width?: number;
  readonly height?: number;
}

interface RankedLabel {
  readonly of: string;
  readonly title: string;
  readonly width?: number;
  /** Where a click on a value leads. */
  readonly to?: DynamicConfigValue;
}

/** Series by their number over the range, largest first, each with a bar and with their total; scrolls if there are many. */
export function ranking(spec: RankingSpec): Placed {
  const { labels, value, reduce = 'sum', width = 8, height = 8 } = spec;
  const reduced = REDUCED[reduce];
  const names = [...labels.map(({ of }) => of), reduced];
  const builder = new PanelBuilder()
    .minWidth(60)
    .withTransformation({
      id: 'reduce',
      options: { reducers: [reduce], mode: 'seriesToRows', labelsToFields: true },
    })
    .withTransformation({ id: 'filterFieldsByName', options: { include: { names } } })
    .withTransformation({ id: 'sortBy', options: { sort: [{ field: reduced, desc: true }] } })
    .withTransformation({
      id: 'organize',
      options: {
        indexByName: Object.fromEntries(names.map((name, index) => [name, index])),
        renameByName: {
          ...Object.fromEntries(labels.map(({ of, title }) => [of, title])),
          [reduced]: value,
        },
      },
    })
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
  if (reduce === 'sum')
    builder.footer(new TableFooterOptionsBuilder().show(true).reducer(['sum']).fields([value, reduced]));
  for (const { title, width: columnWidth, to } of labels) {
    const properties = [
      { id: 'custom.filterable', value: true },
      ...(columnWidth === undefined ? [] : [{ id: 'custom.width', value: columnWidth }]),
      ...(to === undefined ? [] : [to]),
    ];
    builder.overrideByName(title, properties);
  }
  return { width, height, panel: dressed(builder, { min: 0, ...spec, plain: true }) };
}

/** The transformation's names of the columns. */
const REDUCED = { sum: 'Total', mean: 'Mean', lastNotNull: 'Last *', max: 'Max' } as const;
