import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.resolve(import.meta.dirname, '../../dashboards');

export interface Target {
  readonly refId?: string;
  readonly expr: string;
  readonly legendFormat?: string;
  readonly instant?: boolean;
  readonly range?: boolean;
  readonly format?: string;
  readonly interval?: string;
  readonly datasource?: { readonly type?: string; readonly uid?: string };
}

interface Override {
  readonly matcher: { readonly id: string; readonly options: unknown };
  readonly properties: readonly { readonly id: string; readonly value?: unknown }[];
}

export interface Panel {
  readonly id?: number;
  readonly type: string;
  readonly title?: string;
  readonly description?: string;
  readonly gridPos?: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly datasource?: { readonly type?: string; readonly uid?: string };
  readonly targets?: readonly Target[];
  readonly panels?: readonly Panel[];
  readonly links?: readonly { readonly url?: string }[];
  readonly interval?: string;
  readonly maxDataPoints?: number;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly transformations?: readonly { readonly id: string; readonly options: Record<string, unknown> }[];
  readonly fieldConfig?: {
    readonly defaults: {
      readonly unit?: string;
      readonly noValue?: string;
      readonly custom?: Readonly<Record<string, unknown>>;
      readonly thresholds?: { readonly steps: readonly { readonly color: string }[] };
    };
    readonly overrides: readonly Override[];
  };
}

export interface Variable {
  readonly name: string;
  readonly type: string;
  readonly label?: string;
  readonly description?: string;
  readonly query?: unknown;
  readonly datasource?: { readonly uid?: string };
  readonly refresh?: number;
  readonly multi?: boolean;
  readonly includeAll?: boolean;
  readonly allValue?: string;
}

export interface Dashboard {
  readonly id?: number | null;
  readonly uid?: string;
  readonly title: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly timezone?: string;
  readonly editable?: boolean;
  readonly schemaVersion?: number;
  readonly refresh?: string;
  readonly panels: readonly Panel[];
  readonly links?: readonly { readonly type?: string; readonly tags?: readonly string[] }[];
  readonly templating: { readonly list: readonly Variable[] };
  readonly annotations?: {
    readonly list: readonly {
      readonly name: string;
      readonly expr?: string;
      readonly filter?: { readonly ids: readonly number[] };
    }[];
  };
}

export interface DashboardFile {
  readonly file: string;
  readonly bytes: number;
  readonly dashboard: Dashboard;
}

/** The committed dashboards. */
export function readDashboards(): readonly DashboardFile[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const text = readFileSync(path.join(FOLDER, file), 'utf8');
      return { file, bytes: Buffer.byteLength(text), dashboard: JSON.parse(text) };
    });
}

/** All panels, including rows. */
export function allPanels({ panels }: Dashboard): readonly Panel[] {
  return panels.flatMap((panel) => [panel, ...(panel.panels ?? [])]);
}

/** The panels that show data. */
export function dataPanels(dashboard: Dashboard): readonly Panel[] {
  return allPanels(dashboard).filter(({ type }) => type !== 'row' && type !== 'text');
}

/** The query of a variable. */
export function queryOf({ query }: Variable): string {
  return typeof query === 'object' && query !== null && 'query' in query
    ? String(query.query)
    : String(query);
}
