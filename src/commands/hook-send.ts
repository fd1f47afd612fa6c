import { randomUUID } from 'node:crypto';
import { type HookEvent, sharedPart } from '../agent/event.ts';
import { createForwarding, flush } from '../agent/forward/forward.ts';
import { tokenProblem } from '../agent/forward/token-problem.ts';
import type { HookLog } from '../agent/log.ts';
import { createRunProgram } from '../agent/notify/local.ts';
import { deliverAll } from '../agent/notify/notify.ts';
import type { HookPaths } from '../agent/paths.ts';
import { createPost, createSecrets, readToken } from '../agent/post.ts';
import type { ForwardSettings, HookSettings } from '../agent/settings/settings.ts';
import { soundFile } from '../files/installation.ts';
import { createRedactor } from '../log/redact.ts';
import type { Output } from '../log/terminal-progress.ts';
import { proxyIn } from '../net/proxy.ts';
import { ConfigError, messageOf } from '../text/errors.ts';
import { createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';

/** Generous, because a person waits and wants to know whether a slow server answers at all. */
const timeoutMs = 10_000;
/** A channel that fails at its own time limit says more than one that is ended. */
const endingMs = 1000;

const startLimitMs = 60_000;

/** Sends a sample through every channel and prints each result; exit code 1 if one failed. */
export async function testHook(
  { channels, forward }: HookSettings,
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
  const all = outcomes.flat();
  if (all.length === 0) stdout.write('No channel is configured, and no exporter to forward to.\n');
  for (const { name, type, problem } of all) {
    const result = problem === undefined ? 'ok' : `FAILED: ${redactor.redact(problem)}`;
    stdout.write(`${name.padEnd(16)} ${type.padEnd(8)} ${result}\n`);
  }
  return all.some(({ problem }) => problem !== undefined) ? 1 : 0;

  async function tryForwarding(settings: ForwardSettings) {
    const ask = async () => tokenProblem({ ...settings, token: readToken(settings.token, secret) }, post);
    return { name: 'forward', type: 'exporter', problem: await ask().catch(messageOf) };
  }
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
export async function flushHook(
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
  const before = parts.spool.names().length;
  const until = clock.elapsed() + startLimitMs;
  parts.pause.end();
  await flush(parts, until);
  const left = parts.spool.names().length;
  context.stdout.write(`${Math.max(0, before - left)} of ${before} spooled events sent, ${left} left\n`);
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
