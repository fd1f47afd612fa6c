import { credits } from './credits/credits.ts';
import { type DashboardSpec, dashboardOf } from './dashboard.ts';
import { overview } from './overview/overview.ts';

/** Every dashboard, in the order in which one would read them. */
export const specs: readonly DashboardSpec[] = [overview, credits];

/** A dashboard as the file that Grafana reads. */
export function renderDashboard(spec: DashboardSpec): string {
  return `${JSON.stringify(dashboardOf(spec), null, 2)}\n`;
}

/** The name of a dashboard's file, after its uid. */
export function fileOf({ uid }: Pick<DashboardSpec, 'uid'>): string {
  return `${uid.replace(/^ape-/, '')}.json`;
}
