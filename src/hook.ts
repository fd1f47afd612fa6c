import { openInput } from './agent/input.ts';
import { createFileLog } from './agent/log.ts';
import { findPaths, readHookArguments } from './agent/paths.ts';
import { runHook } from './agent/run-hook.ts';
import { processEnvironment } from './config/process-environment.ts';
import { packageVersion, soundFile } from './files/installation.ts';
import { createSystemClock } from './work/clock.ts';

/** Reserved at the end of the deadline for the log and for exiting, in milliseconds. */
const endingMs = 80;

/**
 * The `hook` command as an agent runs it, separate from the rest of the program, which would take longer to load than
 * this takes to run. Whatever happens, the process exits with 0 and prints nothing, within its deadline unless the
 * machine cannot start it in that time: an event to forward is on disk before the deadline counts.
 */
export async function hook(args: readonly string[]): Promise<void> {
  const clock = createSystemClock();
  // First, so that the agent's input is read as soon as this process runs.
  const input = openInput(process.stdin);
  const environment = processEnvironment();
  const given = readHookArguments(args);
  const paths = findPaths(given, environment);
  const log = createFileLog(`${paths.state}/hook.log`, clock);
  let timer: NodeJS.Timeout | undefined;
  let mayEnd = false;
  let isAsked = false;
  let ended: Promise<void> | undefined;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
  process.on('uncaughtException', onFault).on('unhandledRejection', onFault);

  if (given.unknown.length > 0) log.warn('Unknown arguments', { arguments: given.unknown.join(' ') });
  try {
    await runHook({
      paths,
      environment,
      input,
      clock,
      log,
      version: packageVersion(),
      platform: process.platform,
      soundFile,
      createId,
      onDeadline(deadlineMs) {
        mayEnd = true;
        if (isAsked) end();
        clearTimeout(timer);
        timer = setTimeout(onOverdue, Math.max(0, deadlineMs - endingMs - clock.elapsed()));
      },
    });
  } catch (error) {
    onFault(error);
  }
  await end();

  // Until the event is on disk or found invalid, a signal ends only the input; the process ends right after that.
  function onSignal(): void {
    isAsked = true;
    if (mayEnd) end();
    else input.stop();
  }
  function onOverdue(): void {
    log.warn('Deadline exceeded');
    end();
  }
  // Other work continues: a failure in one channel must not cost another its message.
  function onFault(error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log.error('Unexpected failure of the hook command', { error: text });
  }
  function end(): Promise<void> {
    ended ??= log.write().finally(() => process.exit(0));
    return ended;
  }
}

/** A UUID. It is no secret, and loading Node's crypto library for one would take a tenth of the run. */
function createId(): string {
  const digit = () => Math.floor(Math.random() * 16).toString(16);
  return 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', digit);
}
