import type { WebhookChannel } from '../settings/settings.ts';
import type { Notice, SendBy } from './notice.ts';
import { postTo } from './post-to.ts';

/** Posts the event, signed with the secret that both sides know. */
export const sendToWebhook: SendBy<WebhookChannel> = (channel, notice, parts) => {
  const body = JSON.stringify(payloadOf(notice));
  const timestamp = String(Math.floor(parts.clock.now() / 1000));
  return postTo(
    {
      url: channel.url,
      body,
      caFile: channel.caFile,
      headers: {
        'x-agent-platform-timestamp': timestamp,
        'x-agent-platform-signature': signatureOf(parts.secret(channel.secret), timestamp, body),
      },
    },
    parts,
  );
};

/** `sha256=` and the HMAC-SHA-256, in hex, of the timestamp (Unix seconds), a dot and the body. */
export function signatureOf(secret: string, timestamp: string, body: string): string {
  const { createHmac } = process.getBuiltinModule('node:crypto');
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}

/** The event as it was shared, what the rule asked for besides, and the words of the notice. */
export function payloadOf({ event, extra, title, text }: Notice): object {
  return { ...extra, ...event, title, text };
}
