import { adoption } from './adoption.ts';
import { credits } from './credits.ts';
import { type DashboardSpec, dashboardOf } from './dashboard.ts';
import { health } from './health/health.ts';
import { overview } from './overview.ts';
import { users } from './people.ts';
import { readiness } from './readiness.ts';
import { usage } from './usage.ts';

/** Every dashboard, in reading order. */
export const specs: readonly DashboardSpec[] = [overview, credits, adoption, usage, readiness, users, health];

/** Renders a dashboard as a file for Grafana. */
export function renderDashboard(spec: DashboardSpec): string {
  return `${JSON.stringify(dashboardOf(spec), null, 2)}\n`;
}

/** The file name of a dashboard, after its uid. */
export function fileOf({ uid }: Pick<DashboardSpec, 'uid'>): string {
  return `${uid.replace(/^ape-/, '')}.json`;
}
