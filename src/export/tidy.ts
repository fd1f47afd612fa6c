import type { PageFamily } from '../backfill/page.ts';
import type { Sample } from '../catalog/family.ts';
import { csvLine } from './csv.ts';
import type { ExportedDay, ExportFormat } from './format.ts';

const COLUMNS = ['day', 'organization', 'metric', 'labels', 'value', 'unit'] as const;

/** A row per figure as CSV; the labels are a JSON object. */
export function createCsvFormat(): ExportFormat {
  return {
    header: csvLine(COLUMNS),
    *rowsOf({ day, org, families }) {
      for (const { family, sample } of samplesOf(families)) {
        const labels = JSON.stringify(labelsOf(family, sample));
        yield csvLine([day, org, family.name, labels, sample.value, family.unit]);
      }
    },
  };
}

/** A JSON object per figure and line. */
export function createJsonlFormat(): ExportFormat {
  return {
    header: '',
    *rowsOf({ day, org, families }) {
      for (const { family, sample } of samplesOf(families)) {
        const row = { day, organization: org, metric: family.name, labels: labelsOf(family, sample) };
        yield `${JSON.stringify({ ...row, value: sample.value, unit: family.unit })}\n`;
      }
    },
  };
}

function* samplesOf(families: ExportedDay['families']): Generator<{
  readonly family: PageFamily['family'];
  readonly sample: Sample;
}> {
  for (const { family, samples } of families) {
    for (const sample of samples()) yield { family, sample };
  }
}

/** In the order of declaration. */
function labelsOf(family: PageFamily['family'], { labels }: Sample): Readonly<Record<string, string>> {
  return Object.fromEntries(family.labels.map((label) => [label, labels[label] ?? '']));
}
