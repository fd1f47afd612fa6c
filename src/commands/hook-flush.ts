import { createForwarding, flush } from '../hooks/forward/forward.ts';
import type { HookLog } from '../hooks/log.ts';
import type { HookPaths } from '../hooks/paths.ts';
import { createPost, createSecrets } from '../hooks/post.ts';
import type { HookSettings } from '../hooks/settings/settings.ts';
import { createSystemClock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import { proxyIn } from '../runtime/proxy.ts';
import { createRedactor } from '../runtime/redact.ts';
import type { CommandContext, Output } from './command.ts';

const startLimitMs = 60_000;

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
