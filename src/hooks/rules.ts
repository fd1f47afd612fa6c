import type { HookEvent } from './event.ts';
import { isQuiet } from './quiet-hours.ts';
import type { SessionLengths } from './sessions.ts';
import type { Rule } from './settings/settings.ts';

/** Whether a rule speaks about an event at an instant (Unix milliseconds). */
export function applies(rule: Rule, event: HookEvent, lengths: SessionLengths, now: number): boolean {
  if (rule.events.length > 0 && !rule.events.includes(event.name)) return false;
  if (rule.reasons.length > 0 && !rule.reasons.includes(event.reason ?? '')) return false;
  if (lengths.sessionMs < rule.minSessionMs || lengths.turnMs < rule.minTurnMs) return false;
  if (rule.folders.length > 0 && !matchesFolder(rule.folders, event.cwd)) return false;
  return rule.quiet === undefined || !isQuiet(rule.quiet, now);
}

function matchesFolder(patterns: readonly string[], cwd: string | undefined): boolean {
  const folder = cwd?.replaceAll('\\', '/').slice(0, 4096);
  return folder !== undefined && patterns.some((pattern) => new RegExp(pattern, 's').test(folder));
}
