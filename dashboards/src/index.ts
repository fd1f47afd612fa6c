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

/** Every dashboard, in reading order. */
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

/** Renders a dashboard as a file for Grafana. */
export function renderDashboard(spec: DashboardSpec): string {
  return `${JSON.stringify(dashboardOf(spec), null, 2)}\n`;
}

/** The file name of a dashboard, after its uid. */
export function fileOf({ uid }: Pick<DashboardSpec, 'uid'>): string {
  return `${uid.replace(/^ape-/, '')}.json`;
}
