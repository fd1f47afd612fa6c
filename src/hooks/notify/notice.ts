import type { Environment } from '../../config/process-environment.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { SharedEvent } from '../event.ts';
import type { Post, ReadSecret } from '../post.ts';
import type { Channel } from '../settings/settings.ts';

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
  /** Aborted when the command's time is up. */
  readonly signal: AbortSignal;
  /** How long an exchange may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Path of the project's own sound; the single executable writes the file when asked. */
  readonly soundFile: () => string;
}

/** Runs a program without a shell; resolves when it ended with 0, else rejects. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<void>;

/** Sends a notice by one kind of channel; rejects with an error whose message contains no secret. */
export type SendBy<Kind extends Channel> = (
  channel: Kind,
  notice: Notice,
  parts: ChannelParts,
) => Promise<void>;
