import type { Sample } from '../catalog/family.ts';
import type { PageFamily } from '../pipeline/past-days.ts';
import { csvLine, type Spelling } from './csv.ts';
import { type ExportedFigures, type ExportFormat, LAST_COLUMNS, lastCells } from './format.ts';
import { PERIOD_COLUMNS, type PeriodName, periodCells, writtenValue } from './month.ts';

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
export function labelsOf(family: PageFamily['family'], { labels }: Sample): Readonly<Record<string, string>> {
  return Object.fromEntries(family.labels.map((label) => [label, labels[label] ?? '']));
}
