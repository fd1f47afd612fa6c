import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHome, createListener, type Home, type Listener } from '../e2e/hook-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Desktop, desktopTools, startDesktop } from './desktop.ts';
import { createPrograms } from './programs.ts';
import { requireTool } from './tools.ts';

const programs = createPrograms();
const homes: Home[] = [];

afterAll(() => {
  for (const home of homes) home.remove();
});

function homeWith(settings: string): Home {
  const home = createHome(settings);
  homes.push(home);
  return home;
}

function event(fields: object): string {
  const own = { session_id: 's-1', cwd: '/work/shop', prompt_id: randomUUID() };
  return JSON.stringify({ hook_event_name: 'Notification', ...own, ...fields });
}

async function tell(
  home: Home,
  fields: object,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const ran = await home.run('hook', { input: event(fields), environment });
  expect(ran).toMatchObject({ code: 0, stdout: '', stderr: '' });
}

/** The logged problems, if any. */
function logOf(home: Home): string {
  try {
    return readFileSync(path.join(home.state, 'hook.log'), 'utf8');
  } catch {
    return '';
  }
}

const hasDesktop = desktopTools.map(requireTool).every(Boolean);

describe.runIf(hasDesktop)('the desktop shows', () => {
  let desktop: Desktop;
  const home = homeWith(
    'deadline: 10s\nchannels: {desk: {type: desktop}}\nrules:\n  - {channels: [desk], title: "{project}", message: "{message}"}',
  );

  beforeAll(async () => {
    desktop = await startDesktop(programs);
  });

  test.each([
    ['Ready for review', 'Ready for review'],
    ['--help', '--help'],
    // The daemon stores text as the markup that it renders.
    ['<b>a</b> & "b"', '&lt;b&gt;a&lt;/b&gt; &amp; "b"'],
    ['C:\\new\\table $(touch x) `id` ; rm', 'C:\\new\\table $(touch x) `id` ; rm'],
    ['zwei\nZeilen, ümlaut, 漢字', 'zwei\nZeilen, ümlaut, 漢字'],
  ])('%j as it is', async (message, drawn) => {
    await tell(home, { message }, desktop.environment);
    expect(logOf(home)).toBe('');
    await waitFor(async () => expect((await desktop.shown())[0]).toEqual({ title: 'shop', text: drawn }));
  });

  test('a title that looks like a flag', async () => {
    await tell(home, { message: 'm', cwd: '/work/--version' }, desktop.environment);
    await waitFor(async () => expect((await desktop.shown())[0]?.title).toBe('--version'));
  });
});

describe.runIf(requireTool('play'))('a sound', () => {
  test('is audible: what reaches the device is the sound', async () => {
    const folder = programs.folder();
    const heard = path.join(folder, 'heard.wav');
    const device = path.join(folder, 'asound.conf');
    writeFileSync(
      device,
      `pcm.!default { type file file "${heard}" format "wav" slave.pcm "nowhere" }\npcm.nowhere { type null }\n`,
    );
    const home = homeWith('deadline: 20s\nchannels: {ping: {type: sound}}\nrules: [{channels: [ping]}]');
    // Only this player is available, whatever else the machine has.
    const player = (await programs.run('sh', ['-c', 'command -v play'])).stdout.trim();
    const only = path.join(folder, 'bin');
    mkdirSync(only);
    writeFileSync(path.join(only, 'play'), `#!/bin/sh\nexec ${player} "$@"\n`, { mode: 0o755 });
    await tell(home, {}, { PATH: only, ALSA_CONFIG_PATH: device, AUDIODRIVER: 'alsa' });
    expect(logOf(home)).toBe('');
    const samples = new Int16Array(readFileSync(heard).subarray(44).buffer.slice(44));
    expect(samples.length).toBeGreaterThan(0.5 * 16_000);
    expect(Math.max(...samples)).toBeGreaterThan(3000);
  });
});

describe.runIf(requireTool('openssl'))('a mail server', () => {
  const mails: { readonly text: string; readonly user: string | undefined; readonly secure: boolean }[] = [];
  const folder = programs.folder();
  const servers: SMTPServer[] = [];

  beforeAll(async () => {
    const { code } = await programs.run('openssl', [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
      ...['-keyout', path.join(folder, 'key.pem'), '-out', path.join(folder, 'cert.pem')],
    ]);
    expect(code).toBe(0);
  });

  afterAll(() => {
    for (const server of servers) server.close();
  });

  async function startServer(secure: boolean): Promise<number> {
    const server = new SMTPServer({
      secure,
      key: readFileSync(path.join(folder, 'key.pem')),
      cert: readFileSync(path.join(folder, 'cert.pem')),
      onAuth({ username, password }, _session, callback) {
        if (username === 'agents' && password === 'pass word') callback(null, { user: username });
        else callback(new Error('no'));
      },
      onData(stream, session, callback) {
        let text = '';
        stream.on('data', (part: Buffer) => {
          text += part.toString();
        });
        stream.on('end', () => {
          mails.push({ text, user: session.user, secure: session.secure });
          callback();
        });
      },
    });
    servers.push(server);
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    const address = server.server.address();
    return address !== null && typeof address === 'object' ? address.port : 0;
  }

  function mailHome(port: number, more: string): Home {
    return homeWith(
      `deadline: 10s\nchannels:\n  mail: {type: email, host: localhost, port: ${port}, from: Agents <agents@example.com>, to: [me@example.com, you@example.com], username: agents, password_env: MAIL_PASSWORD, ${more}}\nrules:\n  - {channels: [mail], title: "{project}: {reason}", message: "{session}"}`,
    );
  }

  test.each(['starttls', 'tls'])('sends the mail, by %s and with login', async (security) => {
    const port = await startServer(security === 'tls');
    const home = mailHome(port, `security: ${security}, ca_file: ${path.join(folder, 'cert.pem')}`);
    const reason = 'fertig: ü\r\nBcc: victim@example.com';
    await tell(home, { reason }, { MAIL_PASSWORD: 'pass word' });
    expect(logOf(home)).toBe('');
    const mail = mails.at(-1);
    expect(mail).toMatchObject({ user: 'agents', secure: true });
    expect(mail?.text).toContain('From: Agents <agents@example.com>');
    expect(mail?.text).toContain('To: me@example.com, you@example.com');
    expect(mail?.text).not.toMatch(/^Bcc:/m);
    expect(mail?.text).toMatch(/^s-1/m);
  });

  test('gets nothing over encryption that cannot be trusted', async () => {
    const port = await startServer(false);
    const home = mailHome(port, 'security: starttls');
    const before = mails.length;
    await tell(home, {}, { MAIL_PASSWORD: 'pass word' });
    expect(mails).toHaveLength(before);
    expect(logOf(home)).toContain('the mail server rejected it');
  });

  test('rejects a wrong password, which no log repeats', async () => {
    const port = await startServer(false);
    const home = mailHome(port, `ca_file: ${path.join(folder, 'cert.pem')}`);
    await tell(home, {}, { MAIL_PASSWORD: 'wrong password' });
    expect(logOf(home)).toContain('(EAUTH 535)');
    expect(logOf(home)).not.toMatch(/wrong|example\.com/);
  });
});

describe('listeners', () => {
  let listener: Listener;

  beforeAll(async () => {
    listener = await createListener();
  });

  afterAll(() => listener.close());

  test('get the three chat formats independently, whatever one of them does', async () => {
    listener.answer = ({ path: at }) =>
      at === '/teams' ? undefined : { status: at === '/slack' ? 500 : 204 };
    const home = homeWith(
      'deadline: 2s\nchannels: {s: {type: slack, url_env: S}, t: {type: teams, url_env: T}, d: {type: discord, url_env: D}}\nrules: [{channels: [s, t, d], title: "*{project}*", message: "<!channel> @everyone [x](http://x)"}]',
    );
    const [S, T, D] = ['slack', 'teams', 'discord'].map((name) => `${listener.url}/${name}`);
    await tell(home, {}, { S: S ?? '', T: T ?? '', D: D ?? '' });
    const bodies = new Map(listener.received.map(({ path: at, body }) => [at, JSON.parse(body)]));
    expect(bodies.get('/slack')).toEqual({
      text: '*shop*: &lt;!channel&gt; @everyone [x](http://x)',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: '*shop*', emoji: false } },
        {
          type: 'section',
          text: { type: 'plain_text', text: '<!channel> @everyone [x](http://x)', emoji: false },
        },
      ],
    });
    const [card] = bodies.get('/teams').attachments;
    expect(card.contentType).toBe('application/vnd.microsoft.card.adaptive');
    expect(card.content).toMatchObject({ type: 'AdaptiveCard', version: '1.4' });
    expect(card.content.body.map((block: { inlines: { text: string }[] }) => block.inlines[0]?.text)).toEqual(
      ['*shop*', '<!channel> @everyone [x](http://x)'],
    );
    expect(bodies.get('/discord')).toEqual({
      content: '**\\*shop\\***\n\\<!channel\\> \\@everyone \\[x\\]\\(http\\://x\\)',
      allowed_mentions: { parse: [] },
    });
    const log = logOf(home);
    expect(log).toMatch(/channel=s type=slack problem="answered 500"/);
    expect(log).toMatch(/channel=t type=teams problem="(no answer|the deadline was exceeded)/);
    expect(log).not.toContain('channel=d');
    expect(log).not.toContain(listener.url);
  });

  test.runIf(requireTool('python3'))('can verify a webhook with code of their own', async () => {
    listener.answer = () => ({ status: 200 });
    const home = homeWith(
      `channels: {ops: {type: webhook, url: "${listener.url}/ops", secret_env: OPS_SECRET}}\nrules: [{channels: [ops], send: [cwd]}]`,
    );
    await tell(
      home,
      { message: 'not told', prompt: 'not told', reason: 'ü' },
      { OPS_SECRET: 'shared secret' },
    );
    const got = listener.received.find(({ path: at }) => at === '/ops');
    expect(JSON.parse(got?.body ?? '')).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      hook_event_name: 'Notification',
      session_id: 's-1',
      reason: 'ü',
      occurred_at: expect.any(Number),
      cwd: '/work/shop',
      title: 'Coding agent',
      text: 'A session of the agent is waiting for you',
    });
    const body = path.join(programs.folder(), 'body.json');
    writeFileSync(body, got?.body ?? '');
    // The example of docs/hooks.md.
    const [, example = ''] =
      /```python\n([\s\S]*?)```/.exec(
        readFileSync(new URL('../../docs/hooks.md', import.meta.url), 'utf8'),
      ) ?? [];
    const check = async (secret: string, timestamp: string) =>
      programs.run('python3', [
        '-c',
        `${example}\nimport sys\nprint(verify(*sys.argv[1:4], open(sys.argv[4], 'rb').read()))`,
        secret,
        timestamp,
        String(got?.headers['x-agent-platform-signature']),
        body,
      ]);
    const timestamp = String(got?.headers['x-agent-platform-timestamp']);
    expect(await check('shared secret', timestamp)).toMatchObject({ stdout: 'True\n', stderr: '' });
    expect(await check('other secret', timestamp)).toMatchObject({ stdout: 'False\n', stderr: '' });
    expect(await check('shared secret', String(Number(timestamp) - 1))).toMatchObject({ stdout: 'False\n' });
    expect(await check('shared secret', '1000000000')).toMatchObject({ stdout: 'False\n' });
  });
});
