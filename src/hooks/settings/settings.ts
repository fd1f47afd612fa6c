import { waitingTypes } from '../event.ts';

/** The source of a secret, which is read when needed. */
export type Secret = { readonly file: string } | { readonly variable: string };

/** The parsed settings file: plain JSON, so that it can be cached. */
export interface HookSettings {
  /** Time limit of the command, from the start of the process, in milliseconds. */
  readonly deadlineMs: number;
  readonly forward?: ForwardSettings | undefined;
  readonly channels: Readonly<Record<string, Channel>>;
  readonly rules: readonly Rule[];
  /** Whether a rule depends on the length of sessions or turns. */
  readonly needsLengths: boolean;
}

/** The exporter that counts the events. */
export interface ForwardSettings {
  readonly url: string;
  readonly token: Secret;
  readonly caFile?: string | undefined;
  /** Timeout of one request, in milliseconds. */
  readonly timeoutMs: number;
  readonly spool: { readonly maxBytes: number; readonly maxAgeMs: number };
}

export type Channel = DesktopChannel | SoundChannel | ChatChannel | EmailChannel | WebhookChannel;

export interface DesktopChannel {
  readonly type: 'desktop';
}

export interface SoundChannel {
  readonly type: 'sound';
  /** By default the included sound. */
  readonly file?: string | undefined;
}

export interface ChatChannel {
  readonly type: 'slack' | 'teams' | 'discord';
  readonly url: Secret;
}

export interface EmailChannel {
  readonly type: 'email';
  readonly host: string;
  readonly port: number;
  readonly security: 'tls' | 'starttls' | 'none';
  readonly from: string;
  readonly to: readonly string[];
  readonly login?: { readonly username: string; readonly password: Secret } | undefined;
  readonly caFile?: string | undefined;
}

export interface WebhookChannel {
  readonly type: 'webhook';
  readonly url: Secret | string;
  readonly secret: Secret;
  readonly caFile?: string | undefined;
}

/** Assigns events to channels and texts. */
export interface Rule {
  /** Empty: every event. */
  readonly events: readonly string[];
  /** Empty: any reason. */
  readonly reasons: readonly string[];
  /** Types of a `Notification`; one without a type always matches. */
  readonly notificationTypes: readonly string[];
  /** Regular expressions for `cwd`; empty: any. */
  readonly folders: readonly string[];
  readonly minSessionMs: number;
  readonly minTurnMs: number;
  readonly quiet?: QuietHours | undefined;
  readonly channels: readonly string[];
  readonly title?: string | undefined;
  readonly message?: string | undefined;
  /** Members of the event that webhooks receive in addition to the default ones. */
  readonly send: readonly string[];
}

/** When a rule is silent: between two minutes of the day; `days` are those on which the span begins. */
export interface QuietHours {
  /** Minutes since midnight; `to` below `from` is the next day. */
  readonly from: number;
  readonly to: number;
  /** `mon` to `sun`; empty: every day. */
  readonly days: readonly string[];
  /** IANA name; the machine's by default. */
  readonly timeZone?: string | undefined;
}

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** The defaults without a settings file: a sound and a desktop notification when the agent waits for the user. */
export const defaultSettings: HookSettings = {
  deadlineMs: 2500,
  channels: { desktop: { type: 'desktop' }, sound: { type: 'sound' } },
  rules: [
    {
      events: ['Notification'],
      reasons: [],
      notificationTypes: waitingTypes,
      folders: [],
      minSessionMs: 0,
      minTurnMs: 0,
      channels: ['desktop', 'sound'],
      send: [],
    },
  ],
  needsLengths: false,
};
