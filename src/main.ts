import { readFileSync } from 'node:fs';
import type { Surroundings } from './commands/command.ts';
import { runCli } from './commands/run-cli.ts';
import { commands } from './commands/table.ts';
import { createFiles } from './config/files.ts';
import { processEnvironment } from './config/process-environment.ts';
import { keepYoungGenerationSmall } from './runtime/young-generation.ts';

keepYoungGenerationSmall();

const surroundings: Surroundings = {
  environment: processEnvironment(),
  files: createFiles(),
  stdout: process.stdout,
  stderr: process.stderr,
  version: packageVersion(),
  stopSignal,
  onHangup: (listener) => void process.on('SIGHUP', listener),
};

// The first process of a container ignores what it has no handler for; any other is ended by it.
if (process.pid === 1) process.on('SIGTERM', endAtOnce).on('SIGINT', endAtOnce);
process.stdout.on('error', endAtClosedPipe);
// A log that nobody reads any more must not end a service.
process.stderr.on('error', () => undefined);

// The code is set rather than the process ended: what was written to a pipe still has to leave.
process.exitCode = await runCli(
  process.argv.slice(2),
  { commands, collectors: async () => (await import('./collectors/index.ts')).collectors },
  surroundings,
);

function packageVersion(): string {
  const description: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return description !== null && typeof description === 'object' && 'version' in description
    ? String(description.version)
    : 'unknown';
}

function stopSignal(): AbortSignal {
  const stop = new AbortController();
  function onSignal(): void {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
    if (process.pid === 1) process.on('SIGTERM', endAtOnce).on('SIGINT', endAtOnce);
    stop.abort();
  }
  process.off('SIGTERM', endAtOnce).off('SIGINT', endAtOnce);
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  return stop.signal;
}

// The exit codes are those by which a shell tells these signals.
function endAtOnce(signal: NodeJS.Signals): void {
  process.exit(signal === 'SIGINT' ? 130 : 143);
}

// `once | head` closes the pipe early; that is no failure worth a stack trace.
function endAtClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}
