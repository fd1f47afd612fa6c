import { createHmac } from 'node:crypto';
import type { PostRequest } from '../post.ts';
import type { Secret } from '../settings/basics.ts';
import { type ChannelParts, type Notice, type SendBy, withEntities } from './notice.ts';

/** Posts a notice to a chat's incoming webhook. */
export const sendToChat: SendBy<Chat> = (channel, notice, parts) =>
  postTo({ url: channel.url, body: JSON.stringify(chatForms[channel.type](notice)) }, parts);

type Chat = 'slack' | 'teams' | 'discord';
type ChatForm = (notice: Pick<Notice, 'title' | 'text'>) => object;

/** The JSON of each kind of chat. Text is shown literally: no markup, mentions or links. */
export const chatForms: Readonly<Record<Chat, ChatForm>> = {
  slack: ({ title, text }) => ({
    text: withEntities([title, text].filter((part) => part !== '').join(': ')),
    blocks: [
      ...(title === '' ? [] : [{ type: 'header', text: plainText(title, 150) }]),
      ...(text === '' ? [] : [{ type: 'section', text: plainText(text, 3000) }]),
    ],
  }),
  teams: ({ title, text }) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [richText(title, { weight: 'Bolder', size: 'Medium' }), richText(text, {})].filter(
            ({ inlines: [run] }) => run?.text !== '',
          ),
        },
      },
    ],
  }),
  discord: ({ title, text }) => ({
    content: [title === '' ? '' : `**${escapedForDiscord(title)}**`, escapedForDiscord(text)]
      .filter((part) => part !== '')
      .join('\n')
      .slice(0, 2000)
      .toWellFormed(),
    allowed_mentions: { parse: [] },
  }),
};

function plainText(text: string, most: number): object {
  return { type: 'plain_text', text: text.slice(0, most).toWellFormed(), emoji: false };
}

// A TextBlock would be rendered as Markdown; text runs are shown literally.
function richText(text: string, style: object): { readonly inlines: readonly { readonly text: string }[] } {
  const run = { type: 'TextRun', text, ...style };
  return Object.assign({ type: 'RichTextBlock' }, { inlines: [run] });
}

function escapedForDiscord(text: string): string {
  return text.replace(/[\\`*_~|>#()[\]<:@-]/g, '\\$&');
}

/** Posts the event, signed with the shared secret. */
export const sendToWebhook: SendBy<'webhook'> = (channel, notice, parts) => {
  const { event, extra, title, text } = notice;
  // The shared part of the event, the members that the rule adds, and the title and text of the notice.
  const body = JSON.stringify({ ...extra, ...event, title, text });
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
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}

/** Posts to a webhook; rejects unless the response is 2xx. Messages never contain the URL: it may be a secret. */
async function postTo(
  { url, headers = {}, ...rest }: Omit<PostRequest, 'url' | 'timeoutMs'> & { readonly url: Secret | string },
  { post, secret, timeoutMs }: ChannelParts,
): Promise<void> {
  const address = typeof url === 'string' ? url : secret(url);
  if (!/^https?:\/\/[^/]/.test(address) || !URL.canParse(address)) {
    throw new Error('its URL is not an http or https URL');
  }
  const { status } = await post({ ...rest, url: address, headers, timeoutMs, statusOnly: true });
  if (status < 200 || status > 299) throw new Error(`answered ${status}`);
}
