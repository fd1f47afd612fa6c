import { spawn } from 'node:child_process';
import type { Environment } from '../../config/process-environment.ts';
import { messageOf } from '../../text/errors.ts';
import { type Notice, type RunProgram, type SendBy, withEntities } from './notice.ts';

type Command = readonly [program: string, ...args: readonly string[]];

/** The name under which notifications appear. */
const APPLICATION = 'Coding agent';
/**
 * A Windows command line has at most 32 767 characters, and encoding multiplies the length of a text by up to eleven.
 */
const MAX_TITLE_LENGTH = 200;
const MAX_TEXT_LENGTH = 1000;
const MAX_ERROR_LENGTH = 200;
const POWERSHELL = 'System32\\WindowsPowerShell\\v1.0\\powershell.exe';
/** Where Linux under Windows mounts the system drive. */
const WSL_POWERSHELL = `/mnt/c/Windows/${POWERSHELL.replaceAll('\\', '/')}`;

/** Shows a notice on the desktop. */
export const sendToDesktop: SendBy<'desktop'> = (_channel, notice, { platform, environment, run }) =>
  runFirst(desktopCommands(platform, environment, notice), run);

/** Runs one command after the other until one succeeds; rejects with the problems of all if none does. */
async function runFirst(commands: readonly Command[], run: RunProgram): Promise<void> {
  const problems: string[] = [];
  for (const [program, ...args] of commands) {
    try {
      return await run(program, args);
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  throw new Error(problems.join('; '));
}

/** The command that shows a notice, and a fallback if it fails. No part of a notice reaches a shell. */
export function desktopCommands(
  platform: NodeJS.Platform,
  environment: Environment,
  notice: Pick<Notice, 'title' | 'text'>,
): readonly [Command, ...Command[]] {
  const title = printable(notice.title) || APPLICATION;
  const text = printable(notice.text);
  if (platform === 'darwin') return [osascript(title, text || ' ')];
  if (platform === 'win32') return [powershell(powershellPath(environment), toastScript(title, text))];
  const linux = notifySend(title, text);
  if (!environment['WSL_DISTRO_NAME']) return [linux];
  return [linux, powershell(WSL_POWERSHELL, toastScript(title, text))];
}

function notifySend(title: string, text: string): Command {
  // Notification servers interpret the text as markup, and notify-send interprets backslashes as escapes.
  const markup = withEntities(text).replaceAll('\\', '\\\\');
  return ['notify-send', `--app-name=${APPLICATION}`, '--', title, markup];
}

/** The script is constant and receives title and text as arguments; the fixed first one ends the options. */
function osascript(title: string, text: string): Command {
  const script = [
    'on run argv',
    'display notification (item 3 of argv) with title (item 2 of argv)',
    'end run',
  ];
  return ['/usr/bin/osascript', ...script.flatMap((line) => ['-e', line]), 'notification', title, text];
}

/** The only application id in the notification centre that PowerShell scripts can use. */
const TOAST_APPLICATION = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe';

function toastScript(title: string, text: string): string {
  const manager = 'Windows.UI.Notifications.ToastNotificationManager';
  const titleText = powershellText(title.slice(0, MAX_TITLE_LENGTH));
  const bodyText = powershellText(text.slice(0, MAX_TEXT_LENGTH) || ' ');
  return [
    "$ErrorActionPreference = 'Stop'",
    `[void][${manager}, Windows.UI.Notifications, ContentType = WindowsRuntime]`,
    `$toast = [${manager}]::GetTemplateContent('ToastText02')`,
    "$lines = $toast.GetElementsByTagName('text')",
    `[void]$lines.Item(0).AppendChild($toast.CreateTextNode(${titleText}))`,
    `[void]$lines.Item(1).AppendChild($toast.CreateTextNode(${bodyText}))`,
    `$shown = New-Object Windows.UI.Notifications.ToastNotification $toast`,
    `[${manager}]::CreateToastNotifier('${TOAST_APPLICATION}').Show($shown)`,
  ].join('\n');
}

/** Arguments and XML must not contain control characters except tabs and line breaks. */
function printable(text: string): string {
  return text.toWellFormed().replace(/[^\P{Cc}\t\r\n]/gu, ' ');
}

/** An expression for a text. Quoting would not suffice: PowerShell treats typographic quotes as quotes. */
function powershellText(text: string): string {
  const encoded = Buffer.from(text).toString('base64');
  return `[Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('${encoded}'))`;
}

function powershell(program: string, script: string): Command {
  const encoded = Buffer.from(script, 'utf16le').toString('base64');
  // Without a format, errors would be XML.
  return [program, '-NoProfile', '-NonInteractive', '-OutputFormat', 'Text', '-EncodedCommand', encoded];
}

/** An absolute path: a program of that name in the working directory must not run. */
function powershellPath(environment: Environment): string {
  const [, root = ''] = Object.entries(environment).find(([name]) => /^systemroot$/i.test(name)) ?? [];
  return `${/^[a-z]:\\./i.test(root) ? root.replace(/\\+$/, '') : 'C:\\Windows'}\\${POWERSHELL}`;
}

/** Plays a sound with the first program that can. */
export const sendToSound: SendBy<'sound'> = ({ file }, _notice, { platform, environment, run, soundFile }) =>
  runFirst(playersFor(platform, environment, file ?? soundFile()), run);

/** The programs that play a WAV file, the most common first. */
export function playersFor(
  platform: NodeJS.Platform,
  environment: Environment,
  file: string,
): readonly Command[] {
  if (platform === 'darwin') return [['/usr/bin/afplay', file]];
  if (platform === 'win32') {
    const script = `(New-Object Media.SoundPlayer ${powershellText(file)}).PlaySync()`;
    return [powershell(powershellPath(environment), script)];
  }
  return [
    ['paplay', file],
    ['pw-play', file],
    ['aplay', '-q', file],
    ['play', '-q', file],
    ['ffplay', '-nodisp', '-autoexit', '-loglevel', 'error', file],
  ];
}

/** Creates a runner of local programs, without a shell; the signal kills them. */
export function createRunProgram(signal: AbortSignal): RunProgram {
  return (program, args) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, args, {
        stdio: ['ignore', 'ignore', 'pipe'],
        signal,
        // A player that waits for its device may ignore SIGTERM: each notification would leave one running.
        killSignal: 'SIGKILL',
        windowsHide: true,
      });
      let output = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        if (output.length < MAX_ERROR_LENGTH) output += text;
      });
      child.on('error', (error: NodeJS.ErrnoException) => {
        const reason = error.code === 'ENOENT' ? 'not installed' : (error.code ?? 'failed');
        reject(new Error(`${program}: ${reason}`));
      });
      child.on('close', (code) => {
        const firstLine = output.trim().split('\n', 1)[0]?.slice(0, MAX_ERROR_LENGTH);
        if (code === 0) resolve();
        else reject(new Error(`${program}: ${firstLine || `ended with ${code}`}`));
      });
    });
}
