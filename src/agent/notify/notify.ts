import { once } from 'node:events';
import path from 'node:path';
import { codeOf } from '../../files/local-file.ts';
import { messageOf } from '../../text/errors.ts';
import type { HookEvent, SharedEvent } from '../event.ts';
import type { HookLog } from '../log.ts';
import type { HookPaths } from '../paths.ts';
import { applies } from '../rules.ts';
import { followSession, type SessionLengths, unknownLengths } from '../sessions.ts';
import type { Channel, HookSettings, Rule } from '../settings/settings.ts';
import { createRunProgram, sendToDesktop, sendToSound } from './local.ts';
import { type ChannelParts, type Notice, wordsFor } from './notice.ts';
import { sendToChat, sendToWebhook } from './webhooks.ts';

interface NotifyParts extends Omit<ChannelParts, 'run' | 'signal' | 'timeoutMs'> {
  readonly paths: HookPaths;
  readonly log: HookLog;
  /** The end of the run's time, by the clock's `elapsed`. */
  readonly until: number;
}

/** Sends notifications of an event by the channels of the matching rules; a failing channel is logged. */
export async function notify(
  event: HookEvent,
  shared: SharedEvent,
  settings: HookSettings,
  parts: NotifyParts,
): Promise<void> {
  const { clock, log, until } = parts;
  const lengths = settings.needsLengths ? lengthsOf(event, parts) : unknownLengths;
  const rules = settings.rules.filter((rule) => applies(rule, event, lengths, clock.now()));
  if (rules.length === 0) return;
  const timeoutMs = Math.max(1, Math.floor(until - clock.elapsed()));
  const signal = AbortSignal.timeout(timeoutMs);
  const deliveries = deliveriesOf({ ...settings, rules }, event, shared, lengths);
  const run = createRunProgram(signal);
  const outcomes = await deliverAll(deliveries, { ...parts, run, signal, timeoutMs });
  for (const { name, type, problem } of outcomes) {
    if (problem !== undefined) log.error('Notification failed', { channel: name, type, problem });
  }
}

function lengthsOf(event: HookEvent, { paths, clock, log }: NotifyParts): SessionLengths {
  try {
    return followSession(path.join(paths.state, 'sessions'), event, clock.now());
  } catch (error) {
    log.warn('Session lengths unknown', { code: codeOf(error) });
    return unknownLengths;
  }
}

/** A notice and the channel that sends it. */
interface Delivery {
  readonly name: string;
  readonly channel: Channel;
  readonly notice: Notice;
}

/**
 * Delivers concurrently. Deliveries fail independently, and all end when `signal` aborts. Resolves with the
 * `problem` of each, one line without secrets, or undefined.
 */
export function deliverAll(deliveries: readonly Delivery[], parts: ChannelParts) {
  return Promise.all(
    deliveries.map(async ({ name, channel, notice }) => {
      const sent = send(channel, notice, parts).then(() => undefined, messageOf);
      const late = once(parts.signal, 'abort').then(() => 'the deadline was exceeded');
      return { name, type: channel.type, problem: await Promise.race([sent, late]) };
    }),
  );
}

async function send(channel: Channel, notice: Notice, parts: ChannelParts): Promise<void> {
  switch (channel.type) {
    case 'desktop':
      return sendToDesktop(channel, notice, parts);
    case 'sound':
      return sendToSound(channel, notice, parts);
    case 'email':
      // Loaded on use: the mail library takes longer to load than everything else.
      return (await import('./email.ts')).sendToEmail(channel, notice, parts);
    case 'webhook':
      return sendToWebhook(channel, notice, parts);
    default:
      return sendToChat(channel, notice, parts);
  }
}

/** The notice for each channel, by the first of the rules that names it. */
export function deliveriesOf(
  { channels, rules }: Pick<HookSettings, 'channels' | 'rules'>,
  event: HookEvent,
  shared: SharedEvent,
  lengths: SessionLengths,
): readonly Delivery[] {
  return Object.entries(channels).flatMap(([name, channel]) => {
    const rule = rules.find((one) => one.channels.includes(name));
    if (rule === undefined) return [];
    const notice = { ...wordsFor(rule, event, lengths), event: shared, extra: asked(rule, event) };
    return [{ name, channel, notice }];
  });
}

function asked(rule: Rule, event: HookEvent): Readonly<Record<string, unknown>> {
  const names = rule.send.filter((name) => Object.hasOwn(event.fields, name));
  return Object.fromEntries(names.map((name) => [name, event.fields[name]]));
}
