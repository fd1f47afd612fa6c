import type { Environment } from '../../config/process-environment.ts';
import type { Clock } from '../../work/clock.ts';
import type { SharedEvent } from '../event.ts';
import type { Post, ReadSecret } from '../post.ts';
import type { Channel, ChannelOf } from '../settings/settings.ts';

/** What a channel sends. */
export interface Notice {
  readonly title: string;
  readonly text: string;
  readonly event: SharedEvent;
  /** The members of the event that a rule asked to send. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Dependencies of the channels. */
export interface ChannelParts {
  readonly post: Post;
  readonly secret: ReadSecret;
  readonly clock: Clock;
  readonly run: RunProgram;
  readonly platform: NodeJS.Platform;
  readonly environment: Environment;
  /** Aborted at the command's deadline. */
  readonly signal: AbortSignal;
  /** Timeout of an exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** Path of the included sound; the single executable writes the file when asked. */
  readonly soundFile: () => string;
}

/** Runs a program without a shell; resolves if it exits with 0, otherwise rejects. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<void>;

/** Sends a notice by one kind of channel; rejects with an error whose message contains no secret. */
export type SendBy<Type extends Channel['type']> = (
  channel: ChannelOf<Type>,
  notice: Notice,
  parts: ChannelParts,
) => Promise<void>;
