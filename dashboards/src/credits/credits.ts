import { spendEvents } from '../annotations.ts';
import type { DashboardSpec } from '../dashboard.ts';
import { links } from '../links.ts';
import { budget } from './budget.ts';
import { byDay } from './by-day.ts';
import { cost } from './cost.ts';
import { models } from './models.ts';
import { month } from './month.ts';
import { tokens } from './tokens.ts';
import { modelVariable } from './variables.ts';

/** Credits by model, spikes, and the budget. */
export const credits: DashboardSpec = {
  ...links.credits,
  description: 'Credits by model, unusual days, and the month against its budget.',
  rows: [month, budget, byDay, models, tokens, cost],
  from: 'now-90d',
  refresh: '5m',
  events: spendEvents,
  variables: [modelVariable()],
};
