import net, { type AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sendToEmail } from '../../../src/agent/notify/email.ts';
import type { ChannelParts, Notice } from '../../../src/agent/notify/notice.ts';
import type { ChannelOf } from '../../../src/agent/settings/settings.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const notice: Notice = {
  title: 'a\r\n title',
  text: 'a text',
  event: { id: 'i', hook_event_name: 'Stop', occurred_at: 1 },
  extra: {},
};

function channel(changes: Partial<ChannelOf<'email'>> = {}): ChannelOf<'email'> {
  return {
    ...{ type: 'email', host: '127.0.0.1', port: 1, security: 'none', login: undefined, caFile: undefined },
    ...{ from: 'a@example.com', to: ['b@example.com', 'c@example.com'] },
    ...changes,
  };
}

function parts(changes: Partial<ChannelParts> = {}): ChannelParts {
  return {
    post: async () => ({ status: 200, retryAfter: undefined, body: '' }),
    secret: () => 'pass',
    clock: createFakeClock(0),
    run: async () => undefined,
    platform: 'linux',
    environment: {},
    signal: new AbortController().signal,
    timeoutMs: 300_000,
    soundFile: () => '',
    ...changes,
  };
}

interface Mail {
  readonly session: SMTPServerSession;
  readonly text: string;
}

/** A mail server without encryption that refuses mails to `refused@example.com`. */
async function startServer(onConnect: () => void = () => undefined) {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    hideSTARTTLS: true,
    authOptional: true,
    allowInsecureAuth: true,
    onConnect(_session, callback) {
      onConnect();
      callback();
    },
    onAuth: ({ username, password }, _session, callback) =>
      password === 'pass' ? callback(null, { user: username }) : callback(new Error('no')),
    onRcptTo: ({ address }, _session, callback) =>
      callback(address === 'refused@example.com' ? new Error(`no such mailbox ${address}`) : null),
    onData(stream, session, callback) {
      let text = '';
      stream.on('data', (part: Buffer) => {
        text += part.toString();
      });
      stream.on('end', () => {
        mails.push({ session, text });
        callback();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { mails, port: (server.server.address() as AddressInfo).port };
}

test('an e-mail gives each address of its server a good part of its time', async () => {
  const before = net.getDefaultAutoSelectFamilyAttemptTimeout();
  onTestFinished(() => net.setDefaultAutoSelectFamilyAttemptTimeout(before));
  const sent = sendToEmail(channel(), notice, parts({ timeoutMs: 12_000 }));
  await expect(sent).rejects.toThrow('ESOCKET');
  // Nodemailer leaves it to Node.js if the addresses are of both families.
  expect(net.getDefaultAutoSelectFamilyAttemptTimeout()).toBe(4800);
});

describe('an e-mail', () => {
  test('has the title as its subject, in one line, and the text', async () => {
    const { mails, port } = await startServer();
    await sendToEmail(channel({ port }), notice, parts());
    expect(mails).toHaveLength(1);
    const [mail] = mails;
    expect(mail?.text).toMatch(/^Subject: a title\r$/m);
    expect(mail?.text).toMatch(/^From: a@example.com\r$/m);
    expect(mail?.text).toMatch(/^To: b@example.com, c@example.com\r$/m);
    expect(mail?.text).toMatch(/\r\n\r\na text\r\n$/);
    expect(mail?.session.user).toBeUndefined();
  });

  test('is sent with the login of the channel', async () => {
    const { mails, port } = await startServer();
    const login = { username: 'agents', password: { variable: 'P' } };
    await sendToEmail(channel({ port, login }), notice, parts());
    expect(mails[0]?.session.user).toBe('agents');
    const wrong = sendToEmail(channel({ port, login }), notice, parts({ secret: () => 'wrong' }));
    await expect(wrong).rejects.toThrow(new Error('the mail server rejected it (EAUTH 535)'));
    expect(mails).toHaveLength(1);
  });

  test('that must be encrypted is not sent to a server that does not offer it', async () => {
    const { mails, port } = await startServer();
    const sent = sendToEmail(channel({ port, security: 'starttls' }), notice, parts());
    await expect(sent).rejects.toThrow('the mail server rejected it');
    expect(mails).toEqual([]);
  });

  test('that is refused fails with the status, without the words of the server', async () => {
    const { port } = await startServer();
    const sent = sendToEmail(channel({ port, to: ['refused@example.com'] }), notice, parts());
    await expect(sent).rejects.toThrow(/^the mail server rejected it \(EENVELOPE 550\)$/);
  });

  test('that is refused for one of its addresses reaches the others, and fails', async () => {
    const { mails, port } = await startServer();
    const to = ['b@example.com', 'refused@example.com'];
    const sent = sendToEmail(channel({ port, to }), notice, parts());
    await expect(sent).rejects.toThrow(new Error('the mail server rejected 1 of 2 addresses'));
    expect(mails).toHaveLength(1);
  });

  test('ends with the run', async () => {
    const stop = new AbortController();
    const silent = net.createServer(() => stop.abort());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const sent = sendToEmail(channel({ port }), notice, parts({ signal: stop.signal, timeoutMs: 1000 }));
    await expect(sent).rejects.toThrow('the mail server rejected it');
  });
});
