import { processEnvironment } from './config/process-environment.ts';
import { createEventId } from './hooks/event-id.ts';
import { createPendingLog } from './hooks/log.ts';
import { findPlaces, readHookArguments } from './hooks/places.ts';
import { runHook } from './hooks/run-hook.ts';
import { createProcessClock } from './runtime/clock.ts';

// Not imported: importing all members of such a module takes longer than the use of a few.
const { readFileSync } = process.getBuiltinModule('node:fs');
const { fileURLToPath } = process.getBuiltinModule('node:url');

/** Until the settings are known. */
const standardDeadlineMs = 2500;
/** The last part of the time: for the log, and for the end of the process itself. */
const endingMs = 80;

/**
 * The `hook` command as an agent runs it, apart from the rest of the program, which would take longer to load than
 * this takes to run. Whatever happens, the process ends with 0 within its deadline and prints nothing.
 */
export async function hook(args: readonly string[]): Promise<void> {
  const clock = createProcessClock();
  const environment = processEnvironment();
  const given = readHookArguments(args);
  const places = findPlaces(given, environment);
  const log = createPendingLog(clock);
  let timer = setTimeout(overdue, timeLeft(standardDeadlineMs));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end);
  process.on('uncaughtException', onFault).on('unhandledRejection', onFault);

  if (given.unknown.length > 0) log.warn('Unknown arguments', { arguments: given.unknown.join(' ') });
  try {
    await runHook({
      places,
      environment,
      input: process.stdin,
      clock,
      log,
      version: packageVersion(),
      platform: process.platform,
      soundFile: fileURLToPath(new URL('../assets/notification.wav', import.meta.url)),
      createId: createEventId,
      onDeadline(deadlineMs) {
        clearTimeout(timer);
        timer = setTimeout(overdue, timeLeft(deadlineMs));
      },
    });
  } catch (error) {
    onFault(error);
  }
  end();

  function timeLeft(deadlineMs: number): number {
    return Math.max(0, deadlineMs - endingMs - clock.elapsed());
  }
  function logFile(): string {
    return `${places.state}/hook.log`;
  }
  function overdue(): void {
    log.warn('Ended at the deadline, with work undone');
    end();
  }
  // What else is under way goes on: a fault in one channel must cost no other its message.
  function onFault(error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log.error('Fault of the hook command', { error: text });
  }
  function end(): void {
    setTimeout(() => process.exit(0), endingMs / 2);
    log
      .writeTo(logFile())
      .catch(() => undefined)
      .finally(() => process.exit(0));
  }
}

function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return /"version": "([^"]*)"/.exec(text)?.[1] ?? '';
}
