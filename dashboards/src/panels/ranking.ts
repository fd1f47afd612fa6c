import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table';
import { staysApart } from '../../../src/catalog/family.ts';
import type { Query } from '../query.ts';
import { dressed, type PanelSpec, type Placed } from './panel.ts';
import { arrange, BARS, type TableColumn } from './table.ts';

interface RankingSpec extends Omit<PanelSpec, 'queries'> {
  /** The labels that identify what is ranked, each with the title of its column. */
  readonly labels: readonly (TableColumn & { readonly of: string })[];
  /** The title of the last column. */
  readonly value: string;
  /** What is ranked by: its days, or as it is now. */
  readonly figure: Query;
  /** Whether days are reduced to a number by their mean instead of their sum. */
  readonly mean?: boolean;
  readonly width?: number;
  readonly height?: number;
}

/** Series by their number over the range, largest first, each with a bar, and with their total if they add up; scrolls if there are many. */
export function ranking(spec: RankingSpec): Placed {
  const { labels, value, figure, mean = false, width = 8, height = 8 } = spec;
  const reduce = figure.shape === 'now' ? 'lastNotNull' : mean ? 'mean' : 'sum';
  const builder = new PanelBuilder().withTransformation({
    id: 'reduce',
    options: { reducers: [reduce], mode: 'seriesToRows', labelsToFields: true },
  });
  const total = reduce === 'sum' && !labels.some(({ of }) => staysApart(of));
  const last = { of: figure.expression, name: REDUCED[reduce], title: value, total, properties: BARS };
  arrange(builder, [...labels.map((label) => ({ ...label, name: label.of })), last], {
    by: value,
    desc: true,
  });
  const queries = [{ ...figure, legend: labels.map(({ of }) => `{{${of}}}`).join(' ') }];
  return {
    title: spec.title,
    width,
    height,
    panel: dressed(builder, { min: 0, ...spec, queries, plain: true }),
  };
}

/** The transformation's names of the columns. */
const REDUCED = { sum: 'Total', mean: 'Mean', lastNotNull: 'Last *' } as const;
