import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ChannelParts, Notice } from '../../../src/agent/notify/notice.ts';
import { chatForms, sendToChat, sendToWebhook } from '../../../src/agent/notify/webhooks.ts';
import type { PostRequest } from '../../../src/agent/post.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const notice: Notice = {
  title: 'a title',
  text: 'a text',
  event: { id: 'i', hook_event_name: 'Stop', occurred_at: 1 },
  extra: { cwd: '/w', id: 'not this one' },
};

/** Parts whose posts are answered with `status`, and the requests. */
function posting(status = 200, address = 'https://chat.example/secret') {
  const requests: PostRequest[] = [];
  const parts: ChannelParts = {
    async post(request) {
      requests.push(request);
      return { status, retryAfter: undefined, body: '' };
    },
    secret: (source) => ('variable' in source && source.variable === 'KEY' ? 'key' : address),
    clock: createFakeClock(1_700_000_000_999),
    run: async () => undefined,
    platform: 'linux',
    environment: {},
    signal: new AbortController().signal,
    timeoutMs: 1234,
    soundFile: () => '',
  };
  return { parts, requests };
}

describe('the form of', () => {
  test('Slack has title and text as plain text, and a summary without markup', () => {
    expect(chatForms.slack({ title: 'a <b>', text: 'c & d' })).toEqual({
      text: 'a &lt;b&gt;: c &amp; d',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'a <b>', emoji: false } },
        { type: 'section', text: { type: 'plain_text', text: 'c & d', emoji: false } },
      ],
    });
    expect(chatForms.slack({ title: '', text: 'c' })).toMatchObject({
      text: 'c',
      blocks: [{ type: 'section' }],
    });
    expect(chatForms.slack({ title: 'a', text: '' })).toMatchObject({
      text: 'a',
      blocks: [{ type: 'header' }],
    });
  });

  test('Teams is a card of text runs, which show no markup', () => {
    const line = (text: string, style = {}) => ({
      type: 'RichTextBlock',
      inlines: [{ type: 'TextRun', text, ...style }],
    });
    const cardOf = (body: readonly object[]) => ({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            ...{ type: 'AdaptiveCard', version: '1.4', body },
          },
        },
      ],
    });
    const title = line('**a**', { weight: 'Bolder', size: 'Medium' });
    expect(chatForms.teams({ title: '**a**', text: 'b' })).toEqual(cardOf([title, line('b')]));
    expect(chatForms.teams({ title: '', text: 'b' })).toEqual(cardOf([line('b')]));
    expect(chatForms.teams({ title: '**a**', text: '' })).toEqual(cardOf([title]));
  });

  test('Discord escapes markup and mentions nobody', () => {
    expect(chatForms.discord({ title: 'a_b', text: '<@1> [c](d)' })).toEqual({
      content: '**a\\_b**\n\\<\\@1\\> \\[c\\]\\(d\\)',
      allowed_mentions: { parse: [] },
    });
    expect(chatForms.discord({ title: '', text: 'c' })).toMatchObject({ content: 'c' });
    expect(chatForms.discord({ title: 'a', text: '' })).toMatchObject({ content: '**a**' });
    expect(chatForms.discord({ title: '', text: 'x'.repeat(2001) })).toMatchObject({
      content: 'x'.repeat(2000),
    });
  });
});

test('a chat gets its form at its address, within the time of the run', async () => {
  const { parts, requests } = posting();
  await sendToChat({ type: 'discord', url: { variable: 'URL' } }, notice, parts);
  const body = JSON.stringify(chatForms.discord(notice));
  expect(requests).toEqual([
    {
      ...{ url: 'https://chat.example/secret', body, headers: {}, caFile: undefined, timeoutMs: 1234 },
      statusOnly: true,
    },
  ]);
});

test('a webhook gets the event with the requested members, signed with the time of sending', async () => {
  const { parts, requests } = posting();
  const secret = { variable: 'KEY' };
  const url = 'http://ops.example/in';
  await sendToWebhook({ type: 'webhook', url, secret, caFile: '/ca.pem' }, notice, parts);
  const body =
    '{"cwd":"/w","id":"i","hook_event_name":"Stop","occurred_at":1,"title":"a title","text":"a text"}';
  const signature = createHmac('sha256', 'key').update(`1700000000.${body}`).digest('hex');
  expect(requests).toEqual([
    {
      ...{ url, body, caFile: '/ca.pem', timeoutMs: 1234, statusOnly: true },
      headers: {
        'x-agent-platform-timestamp': '1700000000',
        'x-agent-platform-signature': `sha256=${signature}`,
      },
    },
  ]);
});

test.each([199, 300, 404, 500])('the answer %i is a failure', async (status) => {
  const { parts } = posting(status);
  const sent = sendToChat({ type: 'slack', url: { variable: 'URL' } }, notice, parts);
  await expect(sent).rejects.toThrow(new Error(`answered ${status}`));
});

test.each([200, 204, 299])('the answer %i is none', async (status) => {
  const { parts } = posting(status);
  await sendToChat({ type: 'slack', url: { variable: 'URL' } }, notice, parts);
});
