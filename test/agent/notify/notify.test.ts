import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HookEvent } from '../../../src/agent/event.ts';
import type { ChannelParts, Notice } from '../../../src/agent/notify/notice.ts';
import { deliverAll, deliveriesOf } from '../../../src/agent/notify/notify.ts';
import { chatForms, signatureOf } from '../../../src/agent/notify/webhooks.ts';
import { unknownLengths } from '../../../src/agent/sessions.ts';
import type { Channel, Rule } from '../../../src/agent/settings/settings.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const notice: Notice = {
  title: 'title',
  text: 'text',
  event: { id: 'i', hook_event_name: 'Stop', occurred_at: 1 },
  extra: {},
};

function parts(overrides: Partial<ChannelParts> = {}): ChannelParts & { readonly ran: string[][] } {
  const ran: string[][] = [];
  return {
    ran,
    post: async () => ({ status: 200, retryAfter: undefined, body: '' }),
    secret: () => 'https://chat.example/secret',
    clock: createFakeClock(0),
    run: async (program, args) => void ran.push([program, ...args]),
    platform: 'linux',
    environment: {},
    signal: new AbortController().signal,
    timeoutMs: 1000,
    soundFile: () => '/own.wav',
    ...overrides,
  };
}

function webhook(url: string): Channel {
  return { type: 'webhook', url, secret: { variable: 'S' }, caFile: undefined };
}

const chat: Channel = { type: 'slack', url: { variable: 'URL' } };

describe('channels', () => {
  test('fail independently', async () => {
    const post: ChannelParts['post'] = async ({ url }) => {
      if (url.endsWith('/broken')) throw new Error('ECONNREFUSED');
      return { status: 200, retryAfter: undefined, body: '' };
    };
    const outcomes = await deliverAll(
      [
        {
          name: 'a',
          channel: webhook('http://x/broken'),
          notice,
        },
        { name: 'b', channel: webhook('http://x/good'), notice },
      ],
      parts({ post }),
    );
    expect(outcomes).toEqual([
      { name: 'a', type: 'webhook', problem: 'ECONNREFUSED' },
      { name: 'b', type: 'webhook', problem: undefined },
    ]);
  });

  test('that hang end when the time is up', async () => {
    const stop = new AbortController();
    const outcomes = deliverAll(
      [{ name: 'a', channel: chat, notice }],
      parts({ post: () => new Promise(() => undefined), signal: stop.signal }),
    );
    stop.abort();
    expect(await outcomes).toEqual([{ name: 'a', type: 'slack', problem: 'the deadline was exceeded' }]);
  });

  test.each(['', 'nothing', 'file:///etc/passwd', 'http://', 'https:///x'])(
    'do not post to %j, and do not repeat it',
    async (address) => {
      const [outcome] = await deliverAll(
        [{ name: 'a', channel: chat, notice }],
        parts({ secret: () => address }),
      );
      expect(outcome?.problem).toBe('its URL is not an http or https URL');
    },
  );
});

describe('rules', () => {
  const event: HookEvent = {
    name: 'Stop',
    sessionId: 's',
    reason: undefined,
    notificationType: undefined,
    cwd: '/w',
    fields: { hook_event_name: 'Stop', cwd: '/w', prompt: 'p' },
  };
  const rule: Rule = {
    events: [],
    reasons: [],
    notificationTypes: [],
    folders: [],
    minSessionMs: 0,
    minTurnMs: 0,
    quiet: undefined,
    channels: ['a'],
    send: [],
  };
  const deliveries = (rules: readonly Rule[]) =>
    deliveriesOf({ channels: { a: chat, b: chat }, rules: [...rules] }, event, notice.event, unknownLengths);

  test('notify once per channel: the first that names it', () => {
    const rules = [
      { ...rule, message: 'first' },
      { ...rule, channels: ['a', 'b'], message: 'second' },
    ];
    expect(deliveries(rules).map(({ name, notice: { text } }) => [name, text])).toEqual([
      ['a', 'first'],
      ['b', 'second'],
    ]);
  });

  test('send the requested members, if present', () => {
    const [delivery] = deliveries([{ ...rule, send: ['cwd', 'toString', 'message'] }]);
    expect(delivery?.notice.extra).toEqual({ cwd: '/w' });
  });
});

describe('the chat forms', () => {
  test('stay within the limits of each chat, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 300 }),
        fc.string({ unit: 'binary', maxLength: 4000 }),
        (title, text) => {
          const discord = chatForms.discord({ title, text }) as { content: string };
          expect(discord.content.length).toBeLessThanOrEqual(2000);
          const slack = chatForms.slack({ title, text }) as {
            blocks: { type: string; text: { text: string } }[];
          };
          for (const block of slack.blocks) {
            expect(block.text.text.length).toBeLessThanOrEqual(block.type === 'header' ? 150 : 3000);
            expect(block.text.text).not.toBe('');
          }
        },
      ),
    );
  });
});

test('a signature is the HMAC of timestamp, dot and body', () => {
  const expected = createHmac('sha256', 'key').update('17.{"a":1}').digest('hex');
  expect(signatureOf('key', '17', '{"a":1}')).toBe(`sha256=${expected}`);
});
