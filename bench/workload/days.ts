import { addDays, type Day, endOf, type Instant, yesterdayOf } from '../../src/catalog/day.ts';
import { type ActivityRow, activityDataset } from '../../src/collectors/activity/dataset.ts';
import type { Count } from '../../src/collectors/counts.ts';
import { type ProductivityRow, productivityDataset } from '../../src/collectors/productivity/dataset.ts';
import { type TokensRow, tokensDataset } from '../../src/collectors/tokens/dataset.ts';
import { type ToolsRow, toolsDataset } from '../../src/collectors/tools/dataset.ts';
import type { History } from '../../src/history/history.ts';

/** The number of days of each analytics dataset. */
export const DAYS = 120;

const TIERS = ['standard', 'premium'];
const HOOKS = ['PreToolUse', 'PostToolUse', 'Notification', 'Stop'];

/** Fills the history with an organization's days of tokens, tools, activity and productivity: about 320 series. */
export async function putAnalytics(history: History, org: string, now: Instant): Promise<void> {
  const newest = yesterdayOf(now);
  const days = Array.from({ length: DAYS }, (_, back) => addDays(newest, -back));
  const orgId = 'org_measured';
  const answer = <Row>(rowOf: (day: Day, nth: number) => Row) => ({
    days,
    rows: new Map(days.map((day, back) => [day, rowOf(day, back)])),
    orgId,
    at: now,
  });
  await history.putDays(org, tokensDataset.name, answer(tokensRow));
  await history.putDays(org, toolsDataset.name, answer(toolsRow));
  await history.putDays(org, activityDataset.name, answer(activityRow));
  await history.putDays(org, productivityDataset.name, answer(productivityRow));
}

function tokensRow(day: Day, nth: number): TokensRow {
  const byModel = Array.from({ length: 14 }, (_, index) => ({
    model: `model-${index}`,
    tier: TIERS[index % TIERS.length],
    credits: amount(nth, index, 90_000),
    input: amount(nth, index + 50, 40_000_000),
    output: amount(nth, index + 90, 3_000_000),
  }));
  const credits = byModel.reduce((sum, model) => sum + model.credits, endOf(day) % 97);
  return {
    credits,
    tokens: { input: 310_000_000 + nth, output: 22_000_000, cacheRead: 900_000_000, cacheWrite: 40_000_000 },
    byModel,
    creditsByUser: credits - 11,
  };
}

function toolsRow(_day: Day, nth: number): ToolsRow {
  return {
    toolCalls: 48_000 + nth,
    byTool: counted('tool', 70, nth),
    mcpUsers: 41,
    mcpByServer: counted('server', 20, nth),
    skillInvocations: 900 + nth,
    bySkill: counted('skill', 30, nth),
    slashCommandInvocations: 700 + nth,
    bySlashCommand: counted('command', 25, nth),
    hookInvocations: 3_000 + nth,
    byHook: HOOKS.map((event, index) => ({ event, matcher: 'Edit|Write', count: amount(nth, index, 900) })),
    webUsers: 12,
    autonomy: { avg: 7.4, p50: 5.5, p90: 19.25 },
    toolCallsPerSession: 31.4,
    userTurnsPerSession: 6.1,
    autonomyLevels: [
      { level: 'auto_high', ratio: 0.5 },
      { level: 'manual', ratio: 0.5 },
    ],
  };
}

function activityRow(_day: Day, nth: number): ActivityRow {
  return {
    dailyUsers: 210 + (nth % 7),
    weeklyUsers: 340,
    monthlyUsers: 420,
    byClient: counted('client', 6, nth),
    sessions: 1_900 + nth,
    messages: 31_000 + nth,
    userMessages: 9_000 + nth,
  };
}

function productivityRow(_day: Day, nth: number): ProductivityRow {
  return {
    filesCreated: 800 + nth,
    filesEdited: 5_200 + nth,
    byExtension: counted('ext', 30, nth),
    byLanguage: counted('language', 18, nth),
    commits: 640 + nth,
    pullRequests: 120 + (nth % 9),
  };
}

/** Named counts; one in ten is missing on any given day, so that its zero has to be derived. */
function counted(name: string, many: number, nth: number): readonly Count[] {
  return Array.from({ length: many }, (_, index) => ({
    name: `${name}-${index}`,
    count: amount(nth, index, 5_000),
  })).filter((_, index) => (index + nth) % 10 !== 0);
}

function amount(nth: number, index: number, upTo: number): number {
  return (nth * 7_919 + index * 104_729) % upTo;
}
