import type { Writable } from 'node:stream';
import type { Environment } from '../config/environment.ts';
import type { Files } from '../config/files.ts';
import type { GivenOptions } from '../config/given.ts';
import type { OptionTable } from '../config/option.ts';
import type { CollectorChoice } from '../config/options.ts';

/** Standard output or standard error. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The process around the commands: environment, files, streams and signals. */
export interface CliEnvironment {
  readonly environment: Environment;
  readonly files: Files;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly version: string;
  /** A signal aborted by the first SIGTERM or SIGINT; the second one ends the process at once. */
  stopSignal(): AbortSignal;
  /** Calls back at each SIGHUP from now on. */
  onHangup(listener: () => void): void;
}

/** The input of a command. */
export interface CommandContext extends CliEnvironment {
  /** The flags given, not yet resolved against environment, file and defaults. */
  readonly flags: GivenOptions;
}

/** Runs a command; resolves with the exit code. A thrown `ConfigError` becomes exit code 2. */
export type RunCommand = (context: CommandContext) => Promise<number>;

/** A command of the CLI. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands, without a full stop. */
  readonly summary: string;
  /** More lines for its own help. */
  details?(): Promise<readonly string[]>;
  /** The command's options; the collectors are loaded only where the options depend on them. */
  options(collectors: () => Promise<readonly CollectorChoice[]>): Promise<OptionTable>;
  load(): Promise<{ readonly run: RunCommand }>;
}
