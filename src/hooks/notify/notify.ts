import { once } from 'node:events';
import path from 'node:path';
import { messageOf } from '../../runtime/errors.ts';
import { codeOf } from '../../runtime/files.ts';
import type { HookEvent, SharedEvent } from '../event.ts';
import type { HookLog } from '../log.ts';
import type { HookPaths } from '../paths.ts';
import { applies } from '../rules.ts';
import { followSession, type SessionLengths, unknownLengths } from '../sessions.ts';
import type { Channel, HookSettings, Rule } from '../settings/settings.ts';
import { createRunProgram, sendToDesktop, sendToSound } from './local.ts';
import type { ChannelParts, Notice } from './notice.ts';
import { wordsFor } from './text.ts';
import { sendToChat, sendToWebhook } from './webhooks.ts';

interface NotifyParts extends Omit<ChannelParts, 'run' | 'signal' | 'timeoutMs'> {
  readonly paths: HookPaths;
  readonly log: HookLog;
  /** By the clock's `elapsed`. */
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
  const outcomes = await deliverAll(deliveriesOf({ event, shared, lengths, rules, settings }), {
    ...parts,
    run: createRunProgram(signal),
    signal,
    timeoutMs,
  });
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

/** The result of a delivery; `problem` is one line without secrets. */
interface DeliveryOutcome {
  readonly name: string;
  readonly type: Channel['type'];
  readonly problem: string | undefined;
}

/** Delivers concurrently. Deliveries fail independently, and all end when `signal` aborts. */
export function deliverAll(
  deliveries: readonly Delivery[],
  parts: ChannelParts,
): Promise<readonly DeliveryOutcome[]> {
  return Promise.all(
    deliveries.map(async ({ name, channel, notice }) => {
      const ended = Promise.race([send(channel, notice, parts), aborted(parts.signal)]);
      return { name, type: channel.type, problem: await ended.then(() => undefined, messageOf) };
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
      // Its library takes longer to load than everything else.
      return (await import('./email.ts')).sendToEmail(channel, notice, parts);
    case 'webhook':
      return sendToWebhook(channel, notice, parts);
    default:
      return sendToChat(channel, notice, parts);
  }
}

async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw new Error('the deadline was exceeded');
}

interface RuleMatches {
  readonly event: HookEvent;
  readonly shared: SharedEvent;
  readonly lengths: SessionLengths;
  /** The matching rules. */
  readonly rules: readonly Rule[];
  readonly settings: HookSettings;
}

/** The notice for each channel. If several rules name a channel, the first one determines its notice. */
export function deliveriesOf({ event, shared, lengths, rules, settings }: RuleMatches): readonly Delivery[] {
  const deliveries = new Map<string, Delivery>();
  for (const rule of rules) {
    const notice = { ...wordsFor(rule, event, lengths), event: shared, extra: asked(rule, event) };
    for (const name of rule.channels) {
      const channel = Object.hasOwn(settings.channels, name) ? settings.channels[name] : undefined;
      if (channel !== undefined && !deliveries.has(name)) deliveries.set(name, { name, channel, notice });
    }
  }
  return [...deliveries.values()];
}

function asked(rule: Rule, event: HookEvent): Readonly<Record<string, unknown>> {
  const names = rule.send.filter((name) => Object.hasOwn(event.fields, name));
  return Object.fromEntries(names.map((name) => [name, event.fields[name]]));
}
