import { dayEvents } from '../annotations.ts';
import type { DashboardSpec } from '../dashboard.ts';
import { links } from '../links.ts';
import { effort } from './effort.ts';
import { languages } from './languages.ts';
import { output } from './output.ts';

/** Output made through the agent. */
export const productivity: DashboardSpec = {
  ...links.productivity,
  description:
    'Commits, pull requests and files made through the agent, per active person and per million credits.',
  rows: [output, effort, languages],
  from: 'now-90d',
  refresh: '5m',
  events: dayEvents,
};
