import type { HookEvent, SharedEvent } from '../event.ts';
import type { SessionLengths } from '../sessions.ts';
import type { Channel, HookSettings, Rule } from '../settings/settings.ts';
import type { ChannelParts, Notice } from './notice.ts';
import { wordsFor } from './text.ts';

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
      const outcome = { name, type: channel.type };
      try {
        await Promise.race([send(channel, notice, parts), aborted(parts.signal)]);
        return { ...outcome, problem: undefined };
      } catch (error) {
        return { ...outcome, problem: error instanceof Error ? error.message : String(error) };
      }
    }),
  );
}

// Code is loaded per channel type, to keep the start short.
async function send(channel: Channel, notice: Notice, parts: ChannelParts): Promise<void> {
  switch (channel.type) {
    case 'desktop':
      return (await import('./local.ts')).sendToDesktop(channel, notice, parts);
    case 'sound':
      return (await import('./local.ts')).sendToSound(channel, notice, parts);
    case 'email':
      return (await import('./email.ts')).sendToEmail(channel, notice, parts);
    case 'webhook':
      return (await import('./webhooks.ts')).sendToWebhook(channel, notice, parts);
    default:
      return (await import('./webhooks.ts')).sendToChat(channel, notice, parts);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(new Error('the deadline was exceeded'));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
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
