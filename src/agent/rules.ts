import type { HookEvent } from './event.ts';
import { matchesFolder } from './folders.ts';
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
