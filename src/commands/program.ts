import { processEnvironment } from '../config/process-environment.ts';
import { packageVersion } from '../files/installation.ts';
import { createFiles } from '../files/reader.ts';
import type { CliEnvironment } from './command.ts';
import { runCli } from './run-cli.ts';
import { commands } from './table.ts';

/** Time limit for stopping before the process exits, in milliseconds; under five seconds including what precedes it. */
const STOP_MS = 4_500;

/**
 * Runs the program with these arguments in this process, with its streams and signals, and resolves with the exit code.
 */
export function runProgram(args: readonly string[]): Promise<number> {
  const cli: CliEnvironment = {
    environment: processEnvironment(),
    files: createFiles(),
    stdout: process.stdout,
    stderr: process.stderr,
    version: packageVersion(),
    stopSignal,
    onHangup: (listener) => void process.on('SIGHUP', listener),
  };

  // The first process of a container ignores signals without a handler, while any other is terminated by them.
  if (process.pid === 1) process.on('SIGTERM', endAtOnce).on('SIGINT', endAtOnce);
  process.stdout.on('error', endWithoutOutput);
  // A log without a reader must not end a service.
  process.stderr.on('error', () => undefined);
  return runCli(args, commands, cli);
}

function stopSignal(): AbortSignal {
  const stop = new AbortController();
  function onSignal(signal: NodeJS.Signals): void {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
    if (process.pid === 1) process.on('SIGTERM', endAtOnce).on('SIGINT', endAtOnce);
    // Even if something hangs: service managers wait a few seconds, and then kill the process.
    setTimeout(endUnfinished, STOP_MS, signal).unref();
    stop.abort();
  }
  process.off('SIGTERM', endAtOnce).off('SIGINT', endAtOnce);
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  return stop.signal;
}

function endUnfinished(signal: NodeJS.Signals): void {
  const seconds = STOP_MS / 1000;
  process.stderr.write(
    `agent-platform-exporter: not stopped within ${seconds} s, exiting with unfinished work\n`,
  );
  endAtOnce(signal);
}

// The exit codes that shells use for these signals.
function endAtOnce(signal: NodeJS.Signals): void {
  process.exit(signal === 'SIGINT' ? 130 : 143);
}

// `once | head` closes the pipe early, which is no failure; a full disk is one, but no fault of the program.
function endWithoutOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`agent-platform-exporter: cannot write to standard output: ${error.message}\n`);
  process.exit(1);
}
