import { TableFooterOptionsBuilder } from '@grafana/grafana-foundation-sdk/common';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table';
import type { Expression } from '../expression.ts';
import { palette, TEXT, WARNING_TEXT } from '../palette.ts';
import { rows } from '../query.ts';
import type { DrillLink } from './drill.ts';
import { dressed, overridesOf, type PanelSpec, type Placed, refIdOf, step } from './panel.ts';

/** A column: a label of the rows, a value, or the difference of two others. */
export interface TableColumn {
  /** The label's name, the value, or two values of other columns; rows without one of these are left out. */
  readonly of: string | Expression | Difference;
  readonly title: string;
  readonly unit?: string;
  readonly decimals?: number;
  readonly width?: number;
  /** Further overrides of the column, by their ids. */
  readonly properties?: Readonly<Record<string, unknown>>;
  /** Whether the sum of the column is its total, which is then shown below it. */
  readonly total?: boolean;
  /** Where a click on a value leads. */
  readonly to?: readonly DrillLink[];
}

/** What is subtracted from what. */
type Difference = readonly [Expression, Expression];

function isDifference(of: TableColumn['of']): of is Difference {
  return Array.isArray(of);
}

/** A share or a change whose text is coloured from two values on, or below two if `alarm` is the lower one. */
export function colouredText({ warn, alarm }: { readonly warn: number; readonly alarm: number }) {
  const steps =
    warn < alarm
      ? [step(null, TEXT), step(warn, WARNING_TEXT), step(alarm, palette.alarm)]
      : [step(null, palette.alarm), step(alarm, WARNING_TEXT), step(warn, TEXT)];
  return { unit: 'percentunit', decimals: 0, properties: colouredFrom(steps) };
}

/** The properties of a column whose text is coloured from some values on. */
export function colouredFrom(steps: readonly ReturnType<typeof step>[]) {
  return { 'custom.cellOptions': { type: 'color-text' }, thresholds: { mode: 'absolute', steps } };
}

/** The properties of a column that is only sorted by. The second one hides it up to version 12.1. */
export const HIDDEN = { 'custom.hideFrom': { viz: true }, 'custom.hidden': true } as const;

/** The properties of a column with a bar for each of its numbers. */
export const BARS = {
  'custom.cellOptions': { type: 'gauge', mode: 'basic', valueDisplayMode: 'text' },
  color: { mode: 'fixed', fixedColor: palette.main },
} as const;

interface TableSpec extends Omit<PanelSpec, 'queries'> {
  /** The visible columns from left to right; their values are joined by equal labels. */
  readonly columns: readonly TableColumn[];
  /** Figures of which the table only shows labels. */
  readonly labels?: readonly Expression[];
  readonly sort: Sort;
  readonly width?: number;
  readonly height?: number;
}

/** The title of the column to sort by, and the direction. */
interface Sort {
  readonly by: string;
  readonly desc: boolean;
}

/** Rows of labels and numbers. */
export function table({ columns, labels = [], sort, width = 24, height = 8, ...spec }: TableSpec): Placed {
  const values = columns.flatMap(({ of }) => (typeof of === 'string' || isDifference(of) ? [] : [of]));
  const queries = [...values, ...labels].map(rows);
  const fieldOf = (of: Expression) =>
    queries.length > 1 ? `Value #${refIdOf(values.indexOf(of))}` : 'Value';
  const nameOf = ({ of, title }: TableColumn) =>
    typeof of === 'string' ? of : isDifference(of) ? title : fieldOf(of);
  const builder = new PanelBuilder();
  if (queries.length > 1) builder.withTransformation({ id: 'merge', options: {} });
  for (const { of, title: alias } of columns) if (isDifference(of)) subtract(builder, of.map(fieldOf), alias);
  const named = columns.map((column) => ({ ...column, name: nameOf(column) }));
  arrange(builder, named, sort);
  return { title: spec.title, width, height, panel: dressed(builder, { ...spec, queries, plain: true }) };
}

/** Adds the difference of two fields, to the rows that have both. */
function subtract(builder: PanelBuilder, names: readonly string[], alias: string): void {
  const [left, right] = names;
  const filters = names.map((fieldName) => ({ fieldName, config: { id: 'isNotNull', options: {} } }));
  builder
    .withTransformation({ id: 'filterByValue', options: { type: 'include', match: 'all', filters } })
    .withTransformation({
      id: 'calculateField',
      options: { mode: 'binary', binary: { left, operator: '-', right }, alias },
    });
}

/** Makes columns of the fields with these names, from left to right. */
export function arrange(
  builder: PanelBuilder,
  columns: readonly (TableColumn & { readonly name: string })[],
  sort: Sort,
): void {
  const totals = columns.filter(({ total }) => total);
  const footer = new TableFooterOptionsBuilder().show(true).reducer(['sum']);
  if (totals.length > 0) builder.footer(footer.fields(totals.flatMap(({ title, name }) => [title, name])));
  const names = columns.map(({ name }) => name);
  builder
    .minWidth(60)
    .withTransformation({ id: 'filterFieldsByName', options: { include: { names } } })
    .withTransformation({
      id: 'organize',
      options: {
        indexByName: Object.fromEntries(names.map((name, index) => [name, index])),
        renameByName: Object.fromEntries(columns.map(({ name, title }) => [name, title])),
      },
    })
    .withTransformation({ id: 'sortBy', options: { sort: [{ field: sort.by, desc: sort.desc }] } });
  for (const { of, title, unit, decimals, width, properties, total = false, to } of columns) {
    const isLabel = typeof of === 'string';
    const overrides = overridesOf({
      unit,
      decimals,
      'custom.width': width,
      'custom.filterable': isLabel || undefined,
      links: to,
      // Versions that know no fields of the footer as a whole.
      'custom.footer': totals.length > 0 && !isLabel ? { reducers: total ? ['sum'] : [] } : undefined,
      ...properties,
    });
    if (overrides.length > 0) builder.overrideByName(title, overrides);
  }
}
