import type { DashboardSpec } from '../dashboard.ts';
import { links } from '../links.ts';
import { events } from './events.ts';
import { waiting } from './waiting.ts';

/** Sessions that are waiting for a human. */
export const live: DashboardSpec = {
  ...links.live,
  description: 'Hook events of the agents’ clients as they happen, and sessions waiting for a human.',
  rows: [waiting, events],
  from: 'now-6h',
  refresh: '30s',
  withoutOrganizations: true,
};
