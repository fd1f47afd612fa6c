import { dayEvents } from '../annotations.ts';
import type { DashboardSpec } from '../dashboard.ts';
import { links } from '../links.ts';
import { autonomy } from './autonomy.ts';
import { calls, mcp } from './calls.ts';
import { extensions } from './extensions.ts';

/** The tools and the autonomy of the agent. */
export const tools: DashboardSpec = {
  ...links.tools,
  description:
    'Which tools, MCP servers, skills, commands and hooks are used, and how autonomously the agent works.',
  rows: [calls, autonomy, mcp, extensions],
  from: 'now-90d',
  refresh: '5m',
  events: dayEvents,
};
