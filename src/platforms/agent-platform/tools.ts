import * as z from 'zod';
import { labelValue } from '../../catalog/label.ts';
import {
  breakdown,
  type Count,
  namedCount,
  OTHER,
  plusUsable,
  summedCounts,
} from '../../collectors/counts.ts';
import { type HookCount, toolsDataset } from '../../collectors/tools/dataset.ts';
import {
  amount,
  anyElementName,
  breakdownOf,
  element,
  elementName,
  members,
  rejected,
  requiredElementAmount,
} from '../fields.ts';
import { readerOf } from './analytics.ts';
import { MODES } from './words.ts';

/** The label value of invalid tool names, of which one that is no text is one. */
const INVALID_TOOL = 'invalid';

const toolElement = element({
  tool: z.union([z.string(), rejected]),
  invocations: requiredElementAmount,
}).transform(
  ({ tool, invocations }): Count =>
    tool === null ? { name: INVALID_TOOL, count: null } : { name: toolName(tool), count: invocations },
);

// Lower-cased before shortening, so that names that differ only in case share a digest.
const serverElement = element({ server: elementName, invocations: requiredElementAmount }).transform(
  ({ server, invocations }) => namedCount(server?.toLowerCase() ?? null, invocations),
);

const namedElement = element({ name: elementName, count: requiredElementAmount }).transform(
  ({ name, count }) => namedCount(name, count),
);

const hookElement = element({ event: elementName, matcher: anyElementName, count: requiredElementAmount });

export const reader = readerOf(
  toolsDataset,
  {
    byTool: breakdownOf(toolElement, summedCounts),
    mcpByServer: breakdownOf(serverElement, summedCounts),
    bySkill: breakdownOf(namedElement, summedCounts),
    bySlashCommand: breakdownOf(namedElement, summedCounts),
    byHook: breakdownOf(hookElement, summedHooks),
    autonomyLevels: members(amount).transform((pairs) => pairs && levelsOf(pairs)),
  },
  { unread: ['hooks_by_event.command'], values: { tool_autonomy_level_ratio: MODES } },
);

/** Sums by event and matcher. An unusable matcher of an event can be any of its matchers. */
function summedHooks(elements: readonly z.infer<typeof hookElement>[]): readonly HookCount[] {
  const unclear = new Set(elements.filter(({ matcher }) => matcher === null).map(({ event }) => event));
  const hooks = elements.map(({ event, matcher, count }): HookCount => {
    if (event === null || matcher === null) return { event: OTHER, matcher: OTHER, count: null };
    const known = unclear.has(event) ? null : count;
    return { event: labelValue(event), matcher: labelValue(matcher), count: known };
  });
  return breakdown(hooks, {
    keyOf: ({ event, matcher }) => JSON.stringify([event, matcher]),
    merge: (one, other) => ({ ...one, count: plusUsable(one.count, other.count) }),
    weightOf: ({ count }) => count ?? 0,
    restOf: ({ count }) => ({ event: OTHER, matcher: OTHER, count }),
  });
}

function levelsOf(pairs: readonly (readonly [string, number | undefined])[]) {
  const levels = pairs.flatMap(([level, ratio]) => (ratio === undefined ? [] : [{ level, ratio }]));
  return levels.sort((one, other) => (one.level < other.level ? -1 : 1));
}

const MAX_TOOL_CHARACTERS = 128;
const CONTROL = /\p{Cc}/u;

/**
 * The tool as a label value. A name that is blank, contains control characters or has more than 128 characters is misparsed
 * output of a model, which could contain a prompt: it becomes `invalid`.
 */
function toolName(tool: string): string {
  const isLong = tool.length > 2 * MAX_TOOL_CHARACTERS || Array.from(tool).length > MAX_TOOL_CHARACTERS;
  return isLong || tool.trim() === '' || CONTROL.test(tool) ? INVALID_TOOL : labelValue(tool);
}
