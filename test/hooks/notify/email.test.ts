import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { sendToEmail } from '../../../src/hooks/notify/email.ts';
import type { EmailChannel } from '../../../src/hooks/settings/settings.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

test('an e-mail gives each address of its server a good part of its time', async () => {
  const before = net.getDefaultAutoSelectFamilyAttemptTimeout();
  onTestFinished(() => net.setDefaultAutoSelectFamilyAttemptTimeout(before));
  const channel = {
    type: 'email',
    host: '127.0.0.1',
    port: 1,
    security: 'none',
    from: 'a@example.com',
    to: ['b@example.com'],
    login: undefined,
    caFile: undefined,
  } satisfies EmailChannel;
  const event = { id: 'i', hook_event_name: 'Stop', occurred_at: 1 };
  const sent = sendToEmail(
    channel,
    { title: 'title', text: 'text', event, extra: {} },
    {
      post: async () => ({ status: 200, retryAfter: undefined, body: '' }),
      secret: () => '',
      clock: createFakeClock(0),
      run: async () => undefined,
      platform: 'linux',
      environment: {},
      signal: new AbortController().signal,
      timeoutMs: 5000,
      soundFile: () => '',
    },
  );
  await expect(sent).rejects.toThrow('ESOCKET');
  // Nodemailer leaves it to Node.js if the addresses are of both families.
  expect(net.getDefaultAutoSelectFamilyAttemptTimeout()).toBe(2000);
});
