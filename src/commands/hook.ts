import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { type HookEvent, sharedPart } from '../agent/event.ts';
import { createForwarding, flush, spoolIn } from '../agent/forward/forward.ts';
import { tokenProblem } from '../agent/forward/token-problem.ts';
import type { HookLog } from '../agent/log.ts';
import { createRunProgram } from '../agent/notify/local.ts';
import { deliverAll } from '../agent/notify/notify.ts';
import { findPaths, type HookPaths } from '../agent/paths.ts';
import { createPost, createSecrets, readToken, sourceOf } from '../agent/post.ts';
import type { Channel, ForwardSettings, HookSettings, QuietHours, Rule } from '../agent/settings/settings.ts';
import { settingsFor } from '../agent/settings/settings-for.ts';
import { hookOptions } from '../config/command-options.ts';
import { loadValues } from '../config/load.ts';
import { formatDuration } from '../config/parse.ts';
import { soundFile } from '../files/installation.ts';
import { createRedactor } from '../log/redact.ts';
import type { Output } from '../log/terminal-progress.ts';
import { HttpError } from '../net/http-error.ts';
import { proxyIn } from '../net/proxy.ts';
import { ConfigError, messageOf } from '../text/errors.ts';
import { createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';

/** Reads one event, or checks, tests or flushes. */
export async function run(context: CommandContext): Promise<number> {
  const values = await loadValues(hookOptions, context);
  const { check, test, flush } = values;
  if ([check, test, flush].filter(Boolean).length > 1) {
    throw new ConfigError('--check, --test and --flush are mutually exclusive');
  }
  const paths = findPaths({ config: values.config, stateDir: values['state-dir'] }, context.environment);
  if (check) return checkHook(settingsFor(paths), paths, context);
  if (test) return testHook(settingsFor(paths), paths, context);
  if (flush) return flushHook(settingsFor(paths), paths, context);
  // The program's own entry point bypasses everything that is loaded here.
  const { hook } = await import('../hook.ts');
  const given = (['config', 'state-dir'] as const).filter((name) => values[name] !== undefined);
  await hook(given.map((name) => `--${name}=${values[name]}`));
  return 0;
}

const WRITABLE_BY_ALL = 0o002;
const ROOT = 0;

/** Prints the settings, without secrets. */
async function checkHook(
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

/** Generous, because a person waits and wants to know whether a slow server answers at all. */
const timeoutMs = 10_000;
/** A channel that fails at its own time limit says more than one that is ended. */
const endingMs = 1000;

const startLimitMs = 60_000;

/** Sends a sample through every channel and prints each result; exit code 1 if one failed. */
async function testHook(
  { channels, forward }: HookSettings,
  { state }: HookPaths,
  { environment, stdout }: CommandContext,
): Promise<number> {
  const clock = createSystemClock();
  const redactor = createRedactor(() => []);
  const signal = AbortSignal.timeout(timeoutMs + endingMs);
  const post = createPost(proxyIn(environment));
  const secret = createSecrets(environment, redactor.remember);
  const notice = {
    title: 'Agent Platform Exporter',
    text: 'This is a test of the hook notifications',
    event: sharedPart(sample, randomUUID(), clock.now()),
    extra: {},
  };
  const deliveries = Object.entries(channels).map(([name, channel]) => ({ name, channel, notice }));
  const outcomes = await Promise.all([
    deliverAll(deliveries, {
      post,
      secret,
      clock,
      signal,
      timeoutMs,
      soundFile,
      environment,
      platform: process.platform,
      run: createRunProgram(signal),
    }),
    forward === undefined ? [] : tryForwarding(forward),
  ]);
  const all = [...outcomes.flat(), ...unusableSpool()];
  if (all.length === 0) stdout.write('No channel is configured, and no exporter to forward to.\n');
  for (const { name, type, problem } of all) {
    const result = problem === undefined ? 'ok' : `FAILED: ${redactor.redact(problem)}`;
    stdout.write(`${name.padEnd(16)} ${type.padEnd(8)} ${result}\n`);
  }
  return all.some(({ problem }) => problem !== undefined) ? 1 : 0;

  function unusableSpool() {
    const why = forward && spoolIn(state).unwritable();
    const problem = `${why}: events are lost while the exporter is away`;
    return why === undefined ? [] : [{ name: 'spool', type: 'disk', problem }];
  }
  async function tryForwarding(settings: ForwardSettings) {
    const ask = async () => tokenProblem({ ...settings, token: readToken(settings.token, secret) }, post);
    return { name: 'forward', type: 'exporter', problem: await ask().catch(whyOf) };
  }
}

/** In plain words and with the address, for a person. */
function whyOf(error: unknown): string {
  return error instanceof HttpError && error.end !== 'late' ? error.trouble.words : messageOf(error);
}

const sample: HookEvent = {
  name: 'Notification',
  sessionId: '00000000-test',
  reason: undefined,
  notificationType: undefined,
  cwd: undefined,
  fields: {},
};

/** Sends spooled events, ignoring pauses; exit code 1 if some are left after a minute. */
async function flushHook(
  { forward }: HookSettings,
  paths: HookPaths,
  context: CommandContext,
): Promise<number> {
  if (forward === undefined) throw new ConfigError(`${paths.config.file}: forward is missing`);
  const clock = createSystemClock();
  const log = createTerminalLog(context.stderr);
  const parts = createForwarding(forward, paths.state, {
    post: createPost(proxyIn(context.environment)),
    secret: createSecrets(context.environment, log.remember),
    clock,
    log,
  });
  const problem = parts.spool.unlistable();
  if (problem !== undefined) throw new ConfigError(problem, 'run this as the user who runs the agent');
  const before = parts.spool.names().length;
  const until = clock.elapsed() + startLimitMs;
  parts.pause.end();
  const lost = await flush(parts, until);
  const left = parts.spool.names().length;
  const notSent = `${left} left${lost > 0 ? `, ${lost} lost` : ''}`;
  context.stdout.write(`${Math.max(0, before - left - lost)} of ${before} spooled events sent, ${notSent}\n`);
  return left === 0 ? 0 : 1;
}

/** The hook command's log for interactive use: on the terminal. */
function createTerminalLog(stderr: Output): HookLog {
  const redactor = createRedactor(() => []);
  function write(message: string, fields: Readonly<Record<string, string | number>> = {}): void {
    const details = Object.entries(fields).map(([key, value]) => `${key}: ${value}`);
    stderr.write(`${redactor.redact([message, ...details].join(', '))}\n`);
  }
  return { error: write, warn: write, remember: (secret) => redactor.remember(secret) };
}
