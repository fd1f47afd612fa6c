import { realpathSync } from 'node:fs';
import path from 'node:path';
import { attempt } from '../text/errors.ts';
import type { HookEvent } from './event.ts';
import type { SessionLengths } from './sessions.ts';
import { weekdays } from './settings/basics.ts';
import type { QuietHours, Rule } from './settings/settings.ts';

/** Whether a rule applies to an event at an instant (Unix milliseconds). */
export function applies(rule: Rule, event: HookEvent, lengths: SessionLengths, now: number): boolean {
  if (rule.events.length > 0 && !rule.events.includes(event.name)) return false;
  if (rule.reasons.length > 0 && !rule.reasons.includes(event.reason ?? '')) return false;
  const { notificationType: type } = event;
  if (type !== undefined && !rule.notificationTypes.includes(type)) return false;
  if (lengths.sessionMs < rule.minSessionMs || lengths.turnMs < rule.minTurnMs) return false;
  if (rule.folders.length > 0 && !rule.folders.some((pattern) => matchesFolder(pattern, event.cwd)))
    return false;
  return rule.quiet === undefined || !isQuiet(rule.quiet, now);
}

/** Whether an instant (Unix milliseconds) is within the quiet hours, in local time of their time zone. */
export function isQuiet(quiet: QuietHours, now: number): boolean {
  const { day, minute } = wallClock(now, quiet.timeZone);
  const begins = (which: number) => quiet.days.length === 0 || quiet.days.includes(weekdays.at(which) ?? '');
  if (quiet.from < quiet.to) return minute >= quiet.from && minute < quiet.to && begins(day);
  // Across midnight: this evening, or the morning after the previous evening.
  return (minute >= quiet.from && begins(day)) || (minute < quiet.to && begins(day - 1));
}

function wallClock(now: number, timeZone: string | undefined): { day: number; minute: number } {
  const format = {
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  } as const;
  // Such as "Fri, 22:05".
  const [weekday = '', hour, minute] = new Date(now).toLocaleString('en-US', format).split(/\W+/);
  const day = (weekdays as readonly string[]).indexOf(weekday.toLowerCase());
  return { day, minute: Number(hour) * 60 + Number(minute) };
}

const WILDCARDS: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
};

/**
 * Whether a directory pattern matches a directory: `*` matches any name or part of one, `**` any number of directories. A
 * pattern also matches everything below a matching directory. Either may lead there by links, such as a home directory
 * that is one.
 */
export function matchesFolder(pattern: string, cwd: string | undefined): boolean {
  if (cwd === undefined) return false;
  const folder = cwd.slice(0, 4096);
  const patterns = [pattern, physical(pattern)].map((one) => regularExpression(spelled(one)));
  return [folder, physical(folder)].some((one) => patterns.some((each) => each.test(spelled(one))));
}

/** A path whose part before the first wildcard is without links; the same if that does not exist. */
function physical(text: string): string {
  const fixed = /^[^*?]*(?=[/\\]|$)/.exec(text)?.[0] ?? '';
  const real = path.isAbsolute(fixed) ? attempt(() => realpathSync(fixed)) : undefined;
  return real === undefined ? text : `${real}${text.slice(fixed.length)}`;
}

/** With slashes, and the letter of a drive in lower case. */
function spelled(text: string): string {
  return text.replaceAll('\\', '/').replace(/^[A-Z]:/, (drive) => drive.toLowerCase());
}

function regularExpression(pattern: string): RegExp {
  const body = pattern
    .replace(/\/+$/, '')
    .replace(/\*\*\/|\*\*|[\\^$.*+?()[\]{}|/-]/g, (found) => WILDCARDS[found] ?? `\\${found}`);
  return new RegExp(`^${body}(?:/.*)?$`, 's');
}
