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
async function notifySend(notice: Notice, parts: ChannelParts): Promise<void> {
  const { title, text } = notice;
  // Servers read the text as markup, and notify-send reads backslashes as escapes.
  const markup = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const words = [title || application, markup.replaceAll('\\', '\\\\')];
  try {
    await parts.run('notify-send', [`--app-name=${application}`, '--', ...words]);
  } catch (error) {
    // A Linux within Windows has another desktop, which node-notifier finds.
    if (!parts.environment['WSL_DISTRO_NAME']) throw error;
    await nodeNotifier(notice, parts);
  }
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
