import { exporterEvents } from '../annotations.ts';
import type { DashboardSpec } from '../dashboard.ts';
import { links } from '../links.ts';
import { freshness } from './freshness.ts';
import { labels } from './labels.ts';
import { losses } from './losses.ts';
import { requests } from './requests.ts';
import { size } from './size.ts';
import { state } from './state.ts';

/** The health of the exporter. */
export const health: DashboardSpec = {
  ...links.health,
  description:
    'Health of the exporter: age of the data, collectors, requests to the platform, rejected and dropped data, renamed labels, size.',
  rows: [state, freshness, requests, losses, labels, size],
  from: 'now-24h',
  refresh: '1m',
  events: exporterEvents,
};
