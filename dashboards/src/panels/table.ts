import { TableFooterOptionsBuilder } from '@grafana/grafana-foundation-sdk/common';
import type { DynamicConfigValue } from '@grafana/grafana-foundation-sdk/dashboard';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table';
import { palette, TEXT, WARNING_TEXT } from '../palette.ts';
import { dressed, type PanelSpec, type Placed, refIdOf } from './panel.ts';

/** A column: a label of the rows, or the value of a query. */
export interface TableColumn {
  /** The label's name, or the index of the query. */
  readonly of: string | number;
  readonly title: string;
  readonly unit?: string;
  readonly decimals?: number;
  readonly width?: number;
  readonly properties?: readonly DynamicConfigValue[];
  /** Whether the sum of the column is its total, which is then shown below it. */
  readonly total?: boolean;
  /** Where a click on a value leads. */
  readonly to?: DynamicConfigValue;
}

/** A share or a change whose text is coloured from two values on, or below two if `alarm` is the lower one. */
export function colouredText(
  { warn, alarm }: { readonly warn: number; readonly alarm: number },
  decimals = 0,
): Pick<TableColumn, 'unit' | 'decimals' | 'properties'> {
  const step = (value: number | null, color: string) => ({ value, color });
  const steps =
    warn < alarm
      ? [step(null, TEXT), step(warn, WARNING_TEXT), step(alarm, palette.alarm)]
      : [step(null, palette.alarm), step(alarm, WARNING_TEXT), step(warn, TEXT)];
  return {
    unit: 'percentunit',
    decimals,
    properties: [
      { id: 'custom.cellOptions', value: { type: 'color-text' } },
      { id: 'thresholds', value: { mode: 'absolute', steps } },
    ],
  };
}

interface TableSpec extends PanelSpec {
  /** The visible columns from left to right. */
  readonly columns: readonly TableColumn[];
  /** The title of the column to sort by, and the direction. */
  readonly sort: { readonly by: string; readonly desc: boolean };
  readonly width?: number;
  readonly height?: number;
}

/** Rows of labels and numbers; several queries are joined by equal labels. */
export function table(spec: TableSpec): Placed {
  const { columns, sort, queries, width = 24, height = 8 } = spec;
  const nameOf = ({ of }: TableColumn) =>
    typeof of === 'string' ? of : queries.length > 1 ? `Value #${refIdOf(of)}` : 'Value';
  const names = columns.map(nameOf);
  const builder = new PanelBuilder().minWidth(60);
  const totals = columns.filter(({ total }) => total);
  if (totals.length > 0)
    builder.footer(
      new TableFooterOptionsBuilder()
        .show(true)
        .reducer(['sum'])
        .fields(totals.flatMap((column) => [column.title, nameOf(column)])),
    );
  if (queries.length > 1) builder.withTransformation({ id: 'merge', options: {} });
  builder
    .withTransformation({ id: 'filterFieldsByName', options: { include: { names } } })
    .withTransformation({
      id: 'organize',
      options: {
        indexByName: Object.fromEntries(names.map((name, index) => [name, index])),
        renameByName: Object.fromEntries(columns.map((column) => [nameOf(column), column.title])),
      },
    })
    .withTransformation({ id: 'sortBy', options: { sort: [{ field: sort.by, desc: sort.desc }] } });
  for (const {
    of,
    title,
    unit,
    decimals,
    width: columnWidth,
    properties = [],
    total = false,
    to,
  } of columns) {
    const all = [
      ...(unit === undefined ? [] : [{ id: 'unit', value: unit }]),
      ...(decimals === undefined ? [] : [{ id: 'decimals', value: decimals }]),
      ...(columnWidth === undefined ? [] : [{ id: 'custom.width', value: columnWidth }]),
      ...(typeof of === 'string' ? [{ id: 'custom.filterable', value: true }] : []),
      ...(to === undefined ? [] : [to]),
      // Versions that know no fields of the footer as a whole.
      ...(totals.length > 0 && typeof of === 'number'
        ? [{ id: 'custom.footer', value: { reducers: total ? ['sum'] : [] } }]
        : []),
      ...properties,
    ];
    if (all.length > 0) builder.overrideByName(title, all);
  }
  return { width, height, panel: dressed(builder, { ...spec, plain: true }) };
}
