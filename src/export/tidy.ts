import type { PageFamily } from '../backfill/page.ts';
import type { Sample } from '../catalog/family.ts';
import { csvLine } from './csv.ts';
import type { ExportedFigures, ExportFormat } from './format.ts';
import { type PeriodName, writtenValue } from './month.ts';

const COLUMNS = ['organization', 'metric', 'labels', 'value', 'unit'] as const;

/** A row per figure as CSV; the labels are a JSON object. */
export function createTidyFormat(period: PeriodName): ExportFormat {
  return {
    header: csvLine([period, ...COLUMNS]),
    compared: { keys: [period, 'organization', 'metric', 'labels'], figures: ['value'] },
    *rowsOf({ period: name, org, families }) {
      for (const { family, sample } of samplesOf(families)) {
        const labels = JSON.stringify(labelsOf(family, sample));
        yield csvLine([name, org, family.name, labels, writtenValue(family, sample.value), family.unit]);
      }
    },
  };
}

/** A JSON object per figure and line. */
export function createJsonlFormat(period: PeriodName): ExportFormat {
  return {
    header: '',
    *rowsOf({ period: name, org, families }) {
      for (const { family, sample } of samplesOf(families)) {
        const row = { [period]: name, organization: org, metric: family.name };
        const labels = labelsOf(family, sample);
        yield `${JSON.stringify({ ...row, labels, value: sample.value, unit: family.unit })}\n`;
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
