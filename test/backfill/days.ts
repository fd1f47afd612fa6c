import type { DayCollector, DocumentCollector } from '../../src/catalog/collector.ts';
import type { DayDataset, DocumentDataset } from '../../src/catalog/dataset.ts';
import { addDays, type Day } from '../../src/catalog/day.ts';
import { currentFamily, dayFamily } from '../../src/catalog/family.ts';
import { dayNamed } from '../support/day.ts';
import { storedOrg } from '../support/store.ts';

export interface Row {
  readonly credits?: number;
  readonly models?: Readonly<Record<string, number>>;
}

interface Report {
  readonly at: number;
  readonly repo: string;
}

const meta = { help: 'h', unit: 'credits', source: 's' } as const;
const days: DayDataset<Row> = { kind: 'days', name: 'tokens', idle: { credits: 0 } };
const reports: DocumentDataset<Report> = {
  kind: 'documents',
  name: 'readiness',
  idOf: ({ repo }) => repo,
  existsFrom: ({ at }) => at,
};

/** A collector of days with a main number and a breakdown. */
export const daily: DayCollector<Row> = {
  name: 'tokens',
  description: 'd',
  enabledByDefault: true,
  schedule: 'analytics',
  dataset: days,
  families: [
    dayFamily({
      ...meta,
      name: 'agent_platform_test_credits',
      labels: [],
      aggregation: 'additive',
      samplesOf(view, day) {
        const value = view.row(days, day)?.credits;
        return value === undefined ? undefined : [{ labels: {}, value }];
      },
    }),
    dayFamily({
      ...meta,
      name: 'agent_platform_test_credits_by_model',
      labels: ['model'],
      aggregation: 'additive',
      breakdown: true,
      samplesOf(view, day) {
        const models = view.row(days, day)?.models;
        return models && Object.entries(models).map(([model, value]) => ({ labels: { model }, value }));
      },
    }),
  ],
};

/** A collector of documents with an age. */
export const documents: DocumentCollector<Report> = {
  name: 'readiness',
  description: 'd',
  enabledByDefault: true,
  schedule: 'readiness',
  dataset: reports,
  families: [
    currentFamily({
      ...meta,
      name: 'agent_platform_test_reports',
      labels: ['repo'],
      aggregation: 'additive',
      *samplesOf(view) {
        for (const { at, repo } of view.documents(reports)) {
          if (at <= view.asOf) yield { labels: { repo }, value: 1 };
        }
      },
    }),
  ],
};

/** An organization whose days, from `first` on, have these rows; null is a day answered without a row. */
export function orgWith(
  first: Day,
  rows: readonly (Row | null | undefined)[],
  reported: readonly Report[] = [],
  name = 'acme',
) {
  const kept = new Map<Day, unknown>();
  for (const [index, row] of rows.entries()) {
    if (row !== undefined) kept.set(addDays(first, index), row ?? undefined);
  }
  const history = storedOrg({
    orgId: 'org-1',
    days: (dataset) => (dataset === 'tokens' ? kept : undefined),
    documents: (dataset) => (dataset === 'readiness' ? reported : []),
    revisedOn: () => dayNamed('2026-12-31'),
  });
  const readiness = { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: true } as const;
  return { settings: { name, readiness }, history };
}
