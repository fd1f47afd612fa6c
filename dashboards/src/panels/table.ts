import { TableFooterOptionsBuilder } from '@grafana/grafana-foundation-sdk/common';
import type { DataTransformerConfig, DynamicConfigValue } from '@grafana/grafana-foundation-sdk/dashboard';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table';
import { dressed, type PanelSpec, type Placed, refIdOf } from './panel.ts';

/** A column: a label of the rows, the value of a query, a number that is the value of a label, or a value less that number. */
export interface TableColumn {
  /** The label's name, or the index of the query. */
  readonly of:
    | string
    | number
    | { readonly number: string }
    | { readonly value: number; readonly minus: string };
  readonly title: string;
  readonly unit?: string;
  readonly width?: number;
  readonly properties?: readonly DynamicConfigValue[];
  /** Whether the sum of the column is its total, which is then shown below it. */
  readonly total?: boolean;
  /** Where a click on a value leads. */
  readonly to?: DynamicConfigValue;
}

interface TableSpec extends Omit<PanelSpec, 'unit'> {
  readonly unit?: string;
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
  const fieldOf = (index: number) => (queries.length > 1 ? `Value #${refIdOf(index)}` : 'Value');
  const nameOf = ({ of, title }: TableColumn) => {
    if (typeof of === 'string') return of;
    if (typeof of === 'number') return fieldOf(of);
    return 'number' in of ? of.number : title;
  };
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
  const derived = columns.flatMap(({ of, title }) => (typeof of === 'object' ? [{ of, title }] : []));
  for (const { of } of derived) if ('number' in of) builder.withTransformation(asNumber(of.number));
  for (const { of, title } of derived)
    if ('minus' in of) builder.withTransformation(difference(title, fieldOf(of.value), of.minus));
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
  for (const { of, title, unit, width: columnWidth, properties = [], total = false, to } of columns) {
    const all = [
      ...(unit === undefined ? [] : [{ id: 'unit', value: unit }]),
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
  return { width, height, panel: dressed(builder, { unit: 'short', ...spec, plain: true }) };
}

function asNumber(targetField: string): DataTransformerConfig {
  return {
    id: 'convertFieldType',
    options: { conversions: [{ targetField, destinationType: 'number' }], fields: {} },
  };
}

/** A field that is the difference of two others; labels are to be numbers by then. */
function difference(alias: string, left: string, right: string): DataTransformerConfig {
  return {
    id: 'calculateField',
    options: { mode: 'binary', alias, binary: { left, operator: '-', right }, reduce: { reducer: 'sum' } },
  };
}
