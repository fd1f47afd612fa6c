import type { readSettings } from './read-settings.ts';

/** The parsed settings file: plain JSON. Durations are in milliseconds. */
export type HookSettings = ReturnType<typeof readSettings>;

/** The exporter that counts the events. */
export type ForwardSettings = NonNullable<HookSettings['forward']>;

export type Channel = HookSettings['channels'][string];
export type ChannelOf<Type> = Extract<Channel, { type: Type }>;

/** Assigns events to channels and texts. An empty list of events, reasons or folders matches any. */
export type Rule = HookSettings['rules'][number];

/**
 * When a rule is silent: between two minutes of the day, where `to` below `from` is the next day. `days` (`mon` to `sun`, or
 * none for every day) are those on which the span begins.
 */
export type QuietHours = NonNullable<Rule['quiet']>;
