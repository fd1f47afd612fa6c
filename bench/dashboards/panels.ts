import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A panel of a committed dashboard with its queries. */
export interface BenchPanel {
  readonly dashboard: string;
  readonly title: string;
  readonly queries: readonly BenchQuery[];
}

export interface BenchQuery {
  readonly expr: string;
  readonly instant: boolean;
  /** The days between two of its points; undefined if it has points at any time. */
  readonly days?: 1 | 7;
}

interface Target {
  readonly expr: string;
  readonly instant?: boolean;
  readonly interval?: string;
}

interface Dashboard {
  readonly panels: readonly { readonly title?: string; readonly targets?: readonly Target[] }[];
  readonly templating: {
    readonly list: readonly {
      readonly name: string;
      readonly query?: { readonly query?: string } | string;
    }[];
  };
}

/** The panels with queries of every dashboard; the queries of the variables are a panel too. */
export function readPanels(root: string): readonly BenchPanel[] {
  const folder = path.join(root, 'dashboards');
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return files.flatMap((file) => {
    const { panels, templating } = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Dashboard;
    const dashboard = file.replace('.json', '');
    const variables = templating.list.flatMap(({ query }) => {
      const text = typeof query === 'object' ? query.query : query;
      const expr = /^query_result\((.*)\)$/s.exec(text ?? '')?.[1];
      return expr === undefined ? [] : [{ expr, instant: true }];
    });
    const shown = panels.map(({ title = '', targets = [] }) => ({
      dashboard,
      title,
      queries: targets.map(({ expr, instant, interval }) => ({
        expr,
        instant: instant === true,
        ...(interval === '1d' && { days: 1 as const }),
        ...(interval === '7d' && { days: 7 as const }),
      })),
    }));
    return [{ dashboard, title: '(variables)', queries: variables }, ...shown].filter(
      ({ queries }) => queries.length > 0,
    );
  });
}
