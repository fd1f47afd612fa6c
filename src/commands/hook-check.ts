import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { HookPaths } from '../agent/paths.ts';
import { sourceOf } from '../agent/post.ts';
import type { Channel, HookSettings, QuietHours, Rule } from '../agent/settings/settings.ts';
import { formatDuration } from '../config/parse.ts';
import type { CommandContext } from './command.ts';

const WRITABLE_BY_ALL = 0o002;
const ROOT = 0;

/** Prints the settings, without secrets. */
export async function checkHook(
  { forward, channels, rules, deadlineMs }: HookSettings,
  { config, state }: HookPaths,
  { stdout }: CommandContext,
): Promise<number> {
  const missing = existsSync(config.file) ? '' : ' (not found: these are the default settings)';
  const lines = [
    'The settings are valid.',
    '',
    `File:      ${config.file}${missing}`,
    `State:     ${state}`,
    `Deadline:  ${formatDuration(deadlineMs)}`,
    forward === undefined
      ? 'Forwarding: none'
      : `Forwarding: ${forward.url}, token from ${sourceOf(forward.token)}, at most ${forward.spool.maxBytes} bytes or ${formatDuration(forward.spool.maxAgeMs)} of spooled events`,
    'Channels:',
    ...Object.entries(channels).map(([name, channel]) => `  ${name.padEnd(12)} ${describe(channel)}`),
    'Rules:',
    ...rules.map((rule) => `  ${ruleInWords(rule)}`),
    ...warningsOf([config.file, path.dirname(config.file), state]),
  ];
  stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

/** The settings decide which addresses receive events and secrets, so whoever can write them controls that. */
function warningsOf(paths: readonly string[]): readonly string[] {
  const user = process.getuid?.();
  return paths.flatMap((each) => {
    const found = statSync(each, { throwIfNoEntry: false });
    if (user === undefined || found === undefined) return [];
    const warnings: string[] = [];
    if ((found.mode & WRITABLE_BY_ALL) !== 0) {
      warnings.push(`Warning: every user of this machine can write ${each}: chmod o-w ${each}`);
    }
    if (found.uid !== user && found.uid !== ROOT) {
      warnings.push(`Warning: ${each} belongs to another user, who can change it: choose another path`);
    }
    return warnings;
  });
}

function describe(channel: Channel): string {
  switch (channel.type) {
    case 'desktop':
      return 'desktop';
    case 'sound':
      return `sound ${channel.file ?? '(default)'}`;
    case 'email':
      return `email by ${channel.host}:${channel.port} (${channel.security}) to ${channel.to.length} ${channel.to.length === 1 ? 'address' : 'addresses'}`;
    case 'webhook':
      return `webhook ${typeof channel.url === 'string' ? channel.url : `from ${sourceOf(channel.url)}`}`;
    default:
      return `${channel.type}, address from ${sourceOf(channel.url)}`;
  }
}

function ruleInWords(rule: Rule): string {
  const mayNotify = rule.events.length === 0 || rule.events.includes('Notification');
  return [
    rule.events.join(', ') || 'every event',
    ...(rule.reasons.length === 0 ? [] : [`reason ${rule.reasons.join(' or ')}`]),
    ...(mayNotify ? [`notifications ${rule.notificationTypes.join(' or ') || 'without a type'}`] : []),
    ...(rule.minSessionMs === 0 ? [] : [`sessions from ${formatDuration(rule.minSessionMs)}`]),
    ...(rule.minTurnMs === 0 ? [] : [`turns from ${formatDuration(rule.minTurnMs)}`]),
    ...(rule.folders.length === 0 ? [] : ['in certain directories']),
    ...(rule.quiet === undefined ? [] : [`silent ${quietInWords(rule.quiet)}`]),
    ...(rule.send.length === 0 ? [] : [`webhooks also receive ${rule.send.join(', ')}`]),
  ]
    .join('; ')
    .concat(` -> ${rule.channels.join(', ')}`);
}

function quietInWords({ from, to, days, timeZone }: QuietHours): string {
  const on = days.length === 0 ? '' : ` on ${days.join(', ')}`;
  return `${timeOf(from)} to ${timeOf(to)}${on}${timeZone === undefined ? '' : ` (${timeZone})`}`;
}

function timeOf(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}
