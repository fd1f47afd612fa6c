import { waitingTypes } from '../event.ts';
import { defaultDeadlineMs } from './basics.ts';
import type { readSettings } from './read-settings.ts';

/** The parsed settings file: plain JSON. Durations are in milliseconds. */
export type HookSettings = ReturnType<typeof readSettings>;

/** The exporter that counts the events. */
export type ForwardSettings = NonNullable<HookSettings['forward']>;

export type Channel = HookSettings['channels'][string];
type ChannelOf<Type> = Extract<Channel, { type: Type }>;
export type DesktopChannel = ChannelOf<'desktop'>;
/** By default the included sound. */
export type SoundChannel = ChannelOf<'sound'>;
export type ChatChannel = ChannelOf<'slack' | 'teams' | 'discord'>;
export type EmailChannel = ChannelOf<'email'>;
export type WebhookChannel = ChannelOf<'webhook'>;

/** Assigns events to channels and texts. An empty list of events, reasons or folders matches any. */
export type Rule = HookSettings['rules'][number];

/**
 * When a rule is silent: between two minutes of the day, where `to` below `from` is the next day. `days` (`mon` to `sun`, or
 * none for every day) are those on which the span begins.
 */
export type QuietHours = NonNullable<Rule['quiet']>;

/** The defaults without a settings file: a sound and a desktop notification when the agent waits for the user. */
export const defaultSettings: HookSettings = {
  deadlineMs: defaultDeadlineMs,
  forward: undefined,
  channels: { desktop: { type: 'desktop' }, sound: { type: 'sound' } },
  rules: [
    {
      events: ['Notification'],
      reasons: [],
      notificationTypes: [...waitingTypes],
      folders: [],
      minSessionMs: 0,
      minTurnMs: 0,
      quiet: undefined,
      channels: ['desktop', 'sound'],
      send: [],
    },
  ],
  needsLengths: false,
};
