import type { OptionTable, RawOptions } from '../config/option.ts';
import type { Environment } from '../config/resolve.ts';
import type { Files } from '../files/reader.ts';
import type { Output } from '../log/terminal-progress.ts';

/** The process environment of the commands. */
export interface CliEnvironment {
  readonly environment: Environment;
  readonly files: Files;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly version: string;
  /** A signal that the first SIGTERM or SIGINT aborts; a second one exits at once. */
  stopSignal(): AbortSignal;
  /** Calls back at each SIGHUP from now on. */
  onHangup(listener: () => void): void;
}

/** The context of a command. */
export interface CommandContext extends CliEnvironment {
  /** The flags given, not yet resolved against environment, file and defaults. */
  readonly flags: RawOptions;
}

/** Runs a command and returns the exit code; a thrown `ConfigError` becomes exit code 2. */
type RunCommand = (context: CommandContext) => Promise<number>;

/** A command of the CLI. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands, without a full stop. */
  readonly summary: string;
  /** More lines for its own help. */
  details?(): Promise<readonly string[]>;
  /** The options of the command; the collectors are loaded only if the options depend on them. */
  options(): Promise<OptionTable>;
  load(): Promise<{ readonly run: RunCommand }>;
}
