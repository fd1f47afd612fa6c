import { adoption } from './adoption.ts';
import { credits } from './credits/credits.ts';
import { type DashboardSpec, dashboardOf } from './dashboard.ts';
import { health } from './health/health.ts';
import { live } from './live/live.ts';
import { overview } from './overview/overview.ts';
import { productivity } from './productivity/productivity.ts';
import { readiness } from './readiness/readiness.ts';
import { tools } from './tools/tools.ts';
import { users } from './users/users.ts';

/** Every dashboard, in the order in which one would read them. */
export const specs: readonly DashboardSpec[] = [
  overview,
  credits,
  adoption,
  tools,
  productivity,
  readiness,
  users,
  live,
  health,
];

/** A dashboard as the file that Grafana reads. */
export function renderDashboard(spec: DashboardSpec): string {
  return `${JSON.stringify(dashboardOf(spec), null, 2)}\n`;
}

/** The name of a dashboard's file, after its uid. */
export function fileOf({ uid }: Pick<DashboardSpec, 'uid'>): string {
  return `${uid.replace(/^ape-/, '')}.json`;
}
