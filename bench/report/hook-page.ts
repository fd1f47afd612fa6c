import type { BenchOptions } from '../options.ts';
import type { HookResult } from '../sections/hook.ts';
import { type Aim, below } from './aims.ts';
import { renderTable, shown, shownSpread } from './table.ts';

/** The target for the hook command. */
export function hookAims({ forwarding, bundled }: HookResult): readonly Aim[] {
  return [
    below('a forwarded hook event against the bare start of Node', 2, forwarding.againstNode, '×'),
    below('the same by the single executable', 1.3, bundled.againstNode, '×'),
  ];
}

/** The page's section on the hook command. */
export function renderHookPage(result: HookResult, { hookRuns }: BenchOptions): string {
  const rows = [
    ['`node -e 0`', result.node],
    ['`hook`, forwarding to an exporter on this machine', result.forwarding],
    ['the same by the single executable', result.bundled],
    ['`hook`, with no exporter: the event is spooled', result.down],
    ['`curl` with the same request', result.curl],
  ] as const;
  return `## Hook

From the start of the process to its end, medians of ${hookRuns} alternating runs. The hook is the built program, with cached
parsed settings; it has no rules, so it only forwards.

${renderTable(
  ['what', 'ms', 'against `node -e 0`', 'against `curl`'],
  rows.map(([what, { milliseconds, againstNode, againstCurl }]) => [
    what,
    shown(milliseconds),
    `${shownSpread(againstNode)} ×`,
    `${shownSpread(againstCurl)} ×`,
  ]),
)}`;
}
