import type { ChatChannel } from '../settings/settings.ts';
import type { Notice, SendBy } from './notice.ts';
import { postTo } from './post-to.ts';

/** Writes a notice into a chat by its incoming webhook. */
export const sendToChat: SendBy<ChatChannel> = (channel, notice, parts) =>
  postTo({ url: channel.url, body: JSON.stringify(chatForms[channel.type](notice)) }, parts);

type ChatForm = (notice: Pick<Notice, 'title' | 'text'>) => object;

/** The JSON of each kind of chat. Text is shown as it is: no markup, no mentions, no links. */
export const chatForms: Readonly<Record<ChatChannel['type'], ChatForm>> = {
  slack: ({ title, text }) => ({
    text: escapedForSlack([title, text].filter((part) => part !== '').join(': ')),
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

function escapedForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

// A TextBlock would read Markdown; runs of text are shown as they are.
function richText(text: string, style: object): { readonly inlines: readonly { readonly text: string }[] } {
  const run = { type: 'TextRun', text, ...style };
  return Object.assign({ type: 'RichTextBlock' }, { inlines: [run] });
}

function escapedForDiscord(text: string): string {
  return text.replace(/[\\`*_~|>#()[\]<:@-]/g, '\\$&');
}
