import type { Family, Sample } from '../catalog/family.ts';
import type { PageFamily } from '../pipeline/past-days.ts';
import { csvLine, type Spelling } from './csv.ts';
import { type ExportedFigures, type ExportFormat, provisionalCell } from './format.ts';
import { DAILY, isOfMonth, type PeriodName, writtenValue } from './month.ts';

/** The label that is no property of a thing, but the unit of an amount. */
const CURRENCY = 'currency';

const PREFIX = 'agent_platform_';

type Columns = Readonly<Record<string, (figures: ExportedFigures) => string>>;

/** The columns that say which days a row of a month covers. */
const PERIOD_COLUMNS: Readonly<Record<PeriodName, Columns>> = {
  day: {},
  month: { period_start: ({ first }) => first, period_end: ({ day }) => day },
};

/** The last columns of a table: whether a row may still change, and where it is from. */
const LAST_COLUMNS: Columns = { provisional: provisionalCell, platform: ({ platform }) => platform };

/** The columns of a layout: those that identify a row, the figures, and others. */
interface Layout {
  readonly keys: readonly string[];
  readonly figures: readonly string[];
  readonly others?: readonly string[];
}

/** A table as CSV, whose rows have the cells of a layout between those that all layouts have. */
function createTable(
  period: PeriodName,
  { keys, figures, others = [] }: Layout,
  spelling: Spelling | undefined,
  cellsOf: (families: ExportedFigures['families']) => Iterable<Parameters<typeof csvLine>[0]>,
): ExportFormat {
  const first = [period, 'organization', ...keys];
  const last = { ...PERIOD_COLUMNS[period], ...LAST_COLUMNS };
  return {
    header: csvLine([...first, ...figures, ...others, ...Object.keys(last)], spelling),
    compared: {
      keys: first,
      period,
      organization: 'organization',
      figures,
      ...(spelling && { spelling }),
    },
    *rowsOf(given) {
      const end = Object.values(last).map((cellOf) => cellOf(given));
      for (const cells of cellsOf(given.families))
        yield csvLine([given.period, given.org, ...cells, ...end], spelling);
    },
  };
}

/** The figures of one thing, such as a model, by metric. */
interface Row {
  readonly labels: Sample['labels'];
  readonly figures: Map<string, number>;
  currency: string | undefined;
}

/**
 * A table for spreadsheets as CSV: a row per organization and thing that figures describe, a column per label and per metric. The columns
 * follow from the families, never from the values. Families that have labels only, and no figure, are left out.
 */
export function createWideFormat(
  period: PeriodName,
  declared: readonly Family[],
  spelling?: Spelling,
): ExportFormat {
  const families = declared.filter((family) =>
    period === 'month' ? isOfMonth(family) : family.aggregation !== 'info',
  );
  const names = families.map(({ name }): string => name);
  const labels = [...new Set(families.flatMap((family) => family.labels))];
  const things = labels.filter((label) => label !== CURRENCY);
  const prefix = period === 'month' ? DAILY : PREFIX;
  const columns = names.map((name) => name.slice((name.startsWith(prefix) ? prefix : PREFIX).length));
  return createTable(period, { keys: labels, figures: columns }, spelling, function* cellsOf(pages) {
    const rows = new Map<string, Row>();
    for (const { family, sample } of samplesOf(pages.filter((page) => names.includes(page.family.name)))) {
      const own = labelsOf(family, sample);
      const key = JSON.stringify(things.map((label) => own[label] ?? ''));
      rowOf(rows, key, own).figures.set(family.name, writtenValue(family, sample.value));
    }
    for (const { labels: values, figures, currency } of rows.values()) {
      const texts = labels.map((label) => (label === CURRENCY ? currency : values[label]) ?? null);
      yield [...texts, ...names.map((figure) => figures.get(figure) ?? null)];
    }
  });
}

/** The row of a thing. Amounts are beside its other figures; those in another currency have a row of their own. */
function rowOf(rows: Map<string, Row>, key: string, labels: Sample['labels']): Row {
  const currency = labels[CURRENCY];
  const row = rows.get(key) ?? { labels, figures: new Map(), currency };
  rows.set(key, row);
  row.currency ??= currency;
  if (currency === undefined || row.currency === currency) return row;
  return rowOf(rows, `${key}${currency}`, labels);
}

/** A row per figure as CSV; the labels are a JSON object. */
export function createTidyFormat(period: PeriodName, spelling?: Spelling): ExportFormat {
  const layout = { keys: ['metric', 'labels'], figures: ['value'], others: ['unit'] };
  return createTable(period, layout, spelling, function* cellsOf(families) {
    for (const { family, sample } of samplesOf(families)) {
      const labels = JSON.stringify(labelsOf(family, sample));
      yield [family.name, labels, writtenValue(family, sample.value), family.unit];
    }
  });
}

/** A JSON object per figure and line. */
export function createJsonlFormat(period: PeriodName): ExportFormat {
  return {
    header: '',
    *rowsOf(figures) {
      const { period: name, org, families } = figures;
      const days = Object.entries(PERIOD_COLUMNS[period]).map(([column, cellOf]) => [
        column,
        cellOf(figures),
      ]);
      const ends = Object.fromEntries(days);
      for (const { family, sample } of samplesOf(families)) {
        const row = { [period]: name, organization: org, metric: family.name };
        const labels = labelsOf(family, sample);
        yield `${JSON.stringify({ ...row, labels, value: sample.value, unit: family.unit, ...ends })}\n`;
      }
    },
  };
}

function* samplesOf(families: ExportedFigures['families']) {
  for (const { family, samples } of families) {
    for (const sample of samples()) yield { family, sample };
  }
}

/** The labels of a family, in the order of declaration; a sample can have more. */
function labelsOf(family: PageFamily['family'], { labels }: Sample): Readonly<Record<string, string>> {
  return Object.fromEntries(family.labels.map((label) => [label, labels[label] ?? '']));
}
