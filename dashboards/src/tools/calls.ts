import {
  dailyAutonomyRatio,
  dailyMcpCallsByServer,
  dailyMcpUsers,
  dailyToolCalls,
  dailyToolCallsByTool,
  dailyToolCallsPerSession,
} from '../../../src/collectors/tools/collector.ts';
import { daily, newest } from '../expression.ts';
import { dailyTotal, meanOverOrgs, perActiveUser, total } from '../figures.ts';
import { largestAndRest } from '../largest.ts';
import type { Row } from '../layout.ts';
import { bars, lines } from '../panels/chart.ts';
import { ranking } from '../panels/ranking.ts';
import { tile } from '../panels/tile.ts';
import { days, now } from '../query.ts';
import { INCOMPLETE, weekWithChange } from '../week.ts';

const byTool = daily(dailyToolCallsByTool, { orgs: 'summed' });

/** The tools that the agent calls. */
export const calls: Row = {
  title: 'Tool calls',
  panels: [
    tile({
      title: 'Tool calls',
      text: 'Tool calls in the 7 days that end with the newest complete day, and the change from the 7 days before.',
      unit: 'short',
      noValue: INCOMPLETE,
      queries: weekWithChange(dailyToolCalls),
      width: 6,
    }),
    tile({
      title: 'Calls per session',
      text: 'Average tool calls per session on the newest complete day; the mean of the organizations.',
      unit: 'short',
      decimals: 1,
      queries: [now(meanOverOrgs(newest(dailyToolCallsPerSession)), 'calls')],
      width: 6,
    }),
    tile({
      title: 'Calls per turn, median',
      text: 'The median autonomy ratio of the newest complete day: tool calls per user message; the mean of the organizations.',
      unit: 'short',
      decimals: 1,
      queries: [now(meanOverOrgs(newest(dailyAutonomyRatio, { only: { stat: 'p50' } })), 'calls')],
      width: 6,
    }),
    tile({
      title: 'People with MCP',
      text: 'People who used an MCP server on the newest complete day.',
      unit: 'short',
      queries: [now(total(dailyMcpUsers), 'people')],
      width: 6,
    }),
    bars({
      title: 'Tool calls by day',
      text: 'Tool calls of each UTC day.',
      unit: 'short',
      queries: [days(dailyTotal(dailyToolCalls), 'calls')],
      width: 12,
      height: 7,
    }),
    lines({
      title: 'Calls per active person',
      text: 'Tool calls per active person and day, over the 7 days that end with each UTC day.',
      unit: 'short',
      queries: [days(perActiveUser(dailyTotal(dailyToolCalls)), 'calls')],
      width: 12,
      height: 7,
    }),
    ranking({
      title: 'Tools',
      text: 'Calls of each tool over the days in the range.',
      unit: 'short',
      labels: [{ of: 'tool', title: 'Tool' }],
      value: 'Calls',
      queries: [days(byTool, '{{tool}}')],
      width: 10,
      height: 10,
    }),
    bars({
      title: 'Share of each tool by day',
      text: 'The five tools with most calls in the range, and the rest, as shares of all calls on each UTC day.',
      unit: 'short',
      stack: 'shares',
      queries: largestAndRest({ family: dailyToolCallsByTool, label: 'tool' }),
      width: 14,
      height: 10,
    }),
  ],
};

/** The MCP servers of the organization. */
export const mcp: Row = {
  title: 'MCP servers',
  panels: [
    ranking({
      title: 'MCP servers',
      text: 'Calls of each MCP server over the days in the range.',
      unit: 'short',
      labels: [{ of: 'server', title: 'Server' }],
      value: 'Calls',
      queries: [days(daily(dailyMcpCallsByServer, { orgs: 'summed' }), '{{server}}')],
      width: 10,
      height: 9,
    }),
    bars({
      title: 'Share of each server by day',
      text: 'The five MCP servers with most calls in the range, and the rest, as shares of all calls on each UTC day.',
      unit: 'short',
      stack: 'shares',
      queries: largestAndRest({ family: dailyMcpCallsByServer, label: 'server' }),
      width: 14,
      height: 9,
    }),
  ],
};
