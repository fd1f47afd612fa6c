import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from './config/process-environment.ts';
import { createEventId } from './hooks/event-id.ts';
import { readHookArguments } from './hooks/hook-arguments.ts';
import { createLogFile } from './hooks/log-file.ts';
import { findPlaces } from './hooks/places.ts';
import { runHook } from './hooks/run-hook.ts';
import { defaultDeadlineMs } from './hooks/settings/settings.ts';
import { createSystemClock } from './runtime/clock.ts';

/** For the end of the process itself. */
const endingMs = 40;

/**
 * The `hook` command as an agent runs it, apart from the rest of the program, which would take longer to load than
 * this takes to run. Whatever happens, the process ends with 0 within its deadline and writes nothing.
 */
export async function hook(args: readonly string[]): Promise<void> {
  const clock = createSystemClock();
  const environment = processEnvironment();
  const given = readHookArguments(args);
  const places = findPlaces(given, environment);
  const log = createLogFile(`${places.state}/hook.log`, clock);
  let timer = setTimeout(overdue, timeLeft(defaultDeadlineMs));

  function timeLeft(deadlineMs: number): number {
    return Math.max(0, deadlineMs - endingMs - clock.elapsed());
  }
  function overdue(): void {
    log.warn('Ended at the deadline, with work undone');
    process.exit(0);
  }
  function onFault(error: unknown): void {
    log.error('Fault of the hook command', {
      error: error instanceof Error ? (error.stack ?? '') : String(error),
    });
    process.exit(0);
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => process.exit(0));
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
  process.exit(0);
}

function packageVersion(): string {
  return (
    readFileSync(new URL('../package.json', import.meta.url), 'utf8').match(/"version": "([^"]*)"/)?.[1] ?? ''
  );
}
