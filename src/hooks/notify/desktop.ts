import type { DesktopChannel } from '../settings/settings.ts';
import type { ChannelParts, Notice, SendBy } from './notice.ts';

const application = 'Coding agent';
const trustedMs = 1000;

/** Shows a notice on the desktop. */
export const sendToDesktop: SendBy<DesktopChannel> = (_channel, notice, parts) =>
  parts.platform === 'linux' || parts.platform.endsWith('bsd')
    ? notifySend(notice, parts)
    : nodeNotifier(notice, parts);

// node-notifier would go through a shell here, and has no way to end the options.
function notifySend({ title, text }: Notice, { run }: ChannelParts): Promise<void> {
  // Servers read the text as markup, and notify-send reads backslashes as escapes.
  const markup = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return run('notify-send', [
    `--app-name=${application}`,
    '--',
    title || application,
    markup.replaceAll('\\', '\\\\'),
  ]);
}

async function nodeNotifier({ title, text }: Notice, { clock, signal }: ChannelParts): Promise<void> {
  const { default: notifier } = await import('node-notifier');
  const shown = new Promise<void>((resolve, reject) => {
    notifier.notify({ title: title || application, message: text || ' ', wait: false }, (error) => {
      if (error instanceof Error) reject(error);
      else resolve();
    });
  });
  // Some systems answer only once the notification is gone; what failed has failed by then.
  await Promise.race([shown, clock.wait(trustedMs, signal)]);
}
