import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createRunProgram,
  desktopCommands,
  playersFor,
  sendToDesktop,
  sendToSound,
} from '../../../src/agent/notify/local.ts';
import type { ChannelParts, Notice } from '../../../src/agent/notify/notice.ts';
import { attempt } from '../../../src/text/errors.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { waitFor } from '../../support/wait-for.ts';

const notice: Notice = {
  title: 'title',
  text: 'text',
  event: { id: 'i', hook_event_name: 'Stop', occurred_at: 1 },
  extra: {},
};

const hostile = {
  title: '-e do shell script "touch x"',
  text: `'; calc ‘"\` $(touch x) %PATH% & <b>\\n\0\u0007\ud800漢`,
};
const harmless = `'; calc ‘"\` $(touch x) %PATH% & <b>\\n  \ufffd漢`;

function using(overrides: Partial<ChannelParts>): ChannelParts {
  return {
    post: async () => ({ status: 200, retryAfter: undefined, body: '' }),
    secret: () => '',
    clock: createFakeClock(0),
    run: async () => undefined,
    platform: 'linux',
    environment: {},
    signal: new AbortController().signal,
    timeoutMs: 1000,
    soundFile: () => '/own.wav',
    ...overrides,
  };
}

/** The script of a PowerShell command, with its encoded texts in double angle brackets. */
function scriptOf(command: readonly string[] | undefined): string {
  const script = Buffer.from(command?.at(-1) ?? '', 'base64').toString('utf16le');
  return script.replaceAll(
    /\[Text\.Encoding\]::UTF8\.GetString\(\[Convert\]::FromBase64String\('([A-Za-z0-9+/=]*)'\)\)/g,
    (_, text: string) => `«${Buffer.from(text, 'base64').toString()}»`,
  );
}

function toast(title: string, text: string): string {
  return [
    "$ErrorActionPreference = 'Stop'",
    '[void][Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]',
    "$toast = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent('ToastText02')",
    "$lines = $toast.GetElementsByTagName('text')",
    `[void]$lines.Item(0).AppendChild($toast.CreateTextNode(«${title}»))`,
    `[void]$lines.Item(1).AppendChild($toast.CreateTextNode(«${text}»))`,
    '$shown = New-Object Windows.UI.Notifications.ToastNotification $toast',
    "[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier('{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe').Show($shown)",
  ].join('\n');
}

const flags = ['-NoProfile', '-NonInteractive', '-OutputFormat', 'Text', '-EncodedCommand'];

describe('a desktop notification', () => {
  test('on Linux is an argument of notify-send, never a flag or markup', () => {
    const [command, ...rest] = desktopCommands(
      'linux',
      {},
      { title: '--icon=x', text: '-b <a href="x">&\\n' },
    );
    expect(command).toEqual([
      'notify-send',
      '--app-name=Coding agent',
      '--',
      '--icon=x',
      '-b &lt;a href="x"&gt;&amp;\\\\n',
    ]);
    expect(rest).toEqual([]);
  });

  test('on macOS is an argument of a constant script, never an option of osascript', () => {
    expect(desktopCommands('darwin', {}, hostile)).toEqual([
      [
        '/usr/bin/osascript',
        '-e',
        'on run argv',
        '-e',
        'display notification (item 3 of argv) with title (item 2 of argv)',
        '-e',
        'end run',
        'notification',
        '-e do shell script "touch x"',
        harmless,
      ],
    ]);
    expect(desktopCommands('darwin', {}, { title: '', text: '' })[0].slice(-3)).toEqual([
      'notification',
      'Coding agent',
      ' ',
    ]);
  });

  test('on Windows is encoded in the script of the PowerShell of the system', () => {
    const [command, ...rest] = desktopCommands('win32', { SystemRoot: 'D:\\Windows' }, hostile);
    expect(command.slice(0, -1)).toEqual([
      'D:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe',
      ...flags,
    ]);
    expect(command.at(-1)).toMatch(/^[A-Za-z0-9+/]+=*$/);
    expect(scriptOf(command)).toBe(toast(hostile.title, harmless));
    expect(rest).toEqual([]);
  });

  test.each([
    [{ SYSTEMROOT: 'D:\\Windows\\' }, 'D:\\Windows'],
    [{}, 'C:\\Windows'],
    [{ SystemRoot: '' }, 'C:\\Windows'],
    [{ SystemRoot: '..\\here' }, 'C:\\Windows'],
  ])('on Windows with %j uses the PowerShell below %s', (environment, root) => {
    const [[program]] = desktopCommands('win32', environment, notice);
    expect(program).toBe(`${root}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`);
  });

  test('on Windows fits into a command line, whatever the text', () => {
    const long = { title: '漢'.repeat(5000), text: '漢'.repeat(5000) };
    expect(desktopCommands('win32', {}, long)[0].join(' ').length).toBeLessThan(32_767);
  });

  test('within Windows falls back to the PowerShell of Windows', async () => {
    const ran: string[][] = [];
    const run: ChannelParts['run'] = async (program, args) => {
      ran.push([program, ...args]);
      if (program === 'notify-send') throw new Error('notify-send: not installed');
    };
    const environment = { WSL_DISTRO_NAME: 'Debian' };
    await sendToDesktop({ type: 'desktop' }, notice, using({ run, environment }));
    expect(ran.map(([program]) => program)).toEqual([
      'notify-send',
      '/mnt/c/Windows/System32/WindowsPowerShell/v1.0/powershell.exe',
    ]);
    expect(scriptOf(ran[1])).toBe(toast('title', 'text'));
    await expect(sendToDesktop({ type: 'desktop' }, notice, using({ run }))).rejects.toThrow(
      'notify-send: not installed',
    );
  });
});

describe('a sound', () => {
  test('is played by the first player that can', async () => {
    const tried: string[] = [];
    const run: ChannelParts['run'] = async (program) => {
      tried.push(program);
      if (program !== 'aplay') throw new Error(`${program}: not installed`);
    };
    await sendToSound({ type: 'sound' }, notice, using({ run }));
    expect(tried).toEqual(['paplay', 'pw-play', 'aplay']);
  });

  test.each(["C:\\it's.wav", 'C:\\‘+(calc)+’.wav'])('on Windows may have the name %s', (file) => {
    const [command, ...rest] = playersFor('win32', { SystemRoot: 'C:\\Windows' }, file);
    expect(command?.slice(0, -1)).toEqual([
      'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe',
      ...flags,
    ]);
    expect(scriptOf(command)).toBe(`(New-Object Media.SoundPlayer «${file}»).PlaySync()`);
    expect(rest).toEqual([]);
  });

  test('on macOS may have any name', () => {
    expect(playersFor('darwin', {}, '/a b.wav')).toEqual([['/usr/bin/afplay', '/a b.wav']]);
  });
});

describe('a program', () => {
  const run = createRunProgram(new AbortController().signal);

  test('gets its arguments as they are, without a shell', async () => {
    const check = "process.exit(process.argv[1] === '$(touch x) & ;' ? 0 : 3)";
    await run(process.execPath, ['-e', check, '$(touch x) & ;']);
  });

  test('fails in one line', async () => {
    await expect(
      run(process.execPath, ['-e', "console.error('first\\nsecond'); process.exit(1)"]),
    ).rejects.toThrow(new Error(`${process.execPath}: first`));
    await expect(run('no-such-program', [])).rejects.toThrow(new Error('no-such-program: not installed'));
  });

  test.skipIf(process.platform === 'win32')('ends with the run, whatever it does with signals', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'hook-local-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = path.join(folder, 'pid');
    const stop = new AbortController();
    const stubborn =
      "process.on('SIGTERM', () => {}); fs.writeFileSync(process.argv[1], process.pid + ' '); setInterval(() => {}, 1000)";
    const ran = createRunProgram(stop.signal)(process.execPath, ['-e', stubborn, file]);
    const pid = await waitFor(() => Number(/^\d+(?= )/.exec(readFileSync(file, 'utf8'))?.[0]) || false);
    onTestFinished(() => void attempt(() => process.kill(pid, 'SIGKILL')));
    stop.abort();
    await expect(ran).rejects.toThrow('ABORT_ERR');
    await waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
  });
});
