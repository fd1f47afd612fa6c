import type { Channel } from '../settings/settings.ts';
import type { ChannelParts, Notice } from './notice.ts';

/** A notice and the channel that is to tell it. */
export interface Delivery {
  readonly name: string;
  readonly channel: Channel;
  readonly notice: Notice;
}

/** What came of a delivery; `problem` is one line without a secret. */
export interface DeliveryOutcome {
  readonly name: string;
  readonly type: Channel['type'];
  readonly problem: string | undefined;
}

/** Delivers all at once; each fails by itself, and none takes longer than `signal` allows. */
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

// Each kind loads its own code, so that none pays for another.
async function send(channel: Channel, notice: Notice, parts: ChannelParts): Promise<void> {
  switch (channel.type) {
    case 'desktop':
      return (await import('./local.ts')).sendToDesktop(channel, notice, parts);
    case 'sound':
      return (await import('./local.ts')).sendToSound(channel, notice, parts);
    case 'email':
      return (await import('./email.ts')).sendToEmail(channel, notice, parts);
    case 'webhook':
      return (await import('./webhook.ts')).sendToWebhook(channel, notice, parts);
    default:
      return (await import('./chat.ts')).sendToChat(channel, notice, parts);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(new Error('the time was up'));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
