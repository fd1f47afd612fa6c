import type { Family, Sample } from '../catalog/family.ts';
import type { PageFamily } from '../pipeline/past-days.ts';
import { csvLine, type Spelling } from './csv.ts';
import { type ExportedFigures, type ExportFormat, LAST_COLUMNS, lastCells } from './format.ts';
import { DAILY, isOfMonth, PERIOD_COLUMNS, type PeriodName, periodCells, writtenValue } from './month.ts';

/** The label that is no property of a thing, but the unit of an amount. */
const CURRENCY = 'currency';

const PREFIX = 'agent_platform_';

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
  const keys = [period, 'organization', ...labels];
  return {
    header: csvLine([...keys, ...columns, ...PERIOD_COLUMNS[period], ...LAST_COLUMNS], spelling),
    compared: {
      ...{ keys, period, organization: 'organization', figures: columns },
      ...(spelling && { spelling }),
    },
    *rowsOf(given) {
      const { period: name, org, families: pages } = given;
      const rows = new Map<string, Row>();
      for (const { family, samples } of pages) {
        if (!names.includes(family.name)) continue;
        for (const sample of samples()) {
          const own = labelsOf(family, sample);
          rowOf(rows, JSON.stringify(things.map((label) => own[label] ?? '')), own).figures.set(
            family.name,
            writtenValue(family, sample.value),
          );
        }
      }
      for (const { labels: values, figures, currency } of rows.values()) {
        const texts = labels.map((label) => (label === CURRENCY ? currency : values[label]) ?? null);
        const cells = [...texts, ...names.map((figure) => figures.get(figure) ?? null)];
        yield csvLine([name, org, ...cells, ...periodCells(period, given), ...lastCells(given)], spelling);
      }
    },
  };
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

const COLUMNS = ['organization', 'metric', 'labels', 'value', 'unit'] as const;

/** A row per figure as CSV; the labels are a JSON object. */
export function createTidyFormat(period: PeriodName, spelling?: Spelling): ExportFormat {
  return {
    header: csvLine([period, ...COLUMNS, ...PERIOD_COLUMNS[period], ...LAST_COLUMNS], spelling),
    compared: {
      keys: [period, 'organization', 'metric', 'labels'],
      ...{ period, organization: 'organization', figures: ['value'] },
      ...(spelling && { spelling }),
    },
    *rowsOf(figures) {
      const { period: name, org, families } = figures;
      for (const { family, sample } of samplesOf(families)) {
        const labels = JSON.stringify(labelsOf(family, sample));
        const cells = [name, org, family.name, labels, writtenValue(family, sample.value), family.unit];
        yield csvLine([...cells, ...periodCells(period, figures), ...lastCells(figures)], spelling);
      }
    },
  };
}

/** A JSON object per figure and line. */
export function createJsonlFormat(period: PeriodName): ExportFormat {
  return {
    header: '',
    *rowsOf(figures) {
      const { period: name, org, families } = figures;
      const days = periodCells(period, figures);
      const ends = Object.fromEntries(PERIOD_COLUMNS[period].map((column, index) => [column, days[index]]));
      for (const { family, sample } of samplesOf(families)) {
        const row = { [period]: name, organization: org, metric: family.name };
        const labels = labelsOf(family, sample);
        yield `${JSON.stringify({ ...row, labels, value: sample.value, unit: family.unit, ...ends })}\n`;
      }
    },
  };
}

function* samplesOf(families: ExportedFigures['families']): Generator<{
  readonly family: PageFamily['family'];
  readonly sample: Sample;
}> {
  for (const { family, samples } of families) {
    for (const sample of samples()) yield { family, sample };
  }
}

/** The labels of a family, in the order of declaration; a sample can have more. */
function labelsOf(family: PageFamily['family'], { labels }: Sample): Readonly<Record<string, string>> {
  return Object.fromEntries(family.labels.map((label) => [label, labels[label] ?? '']));
}
