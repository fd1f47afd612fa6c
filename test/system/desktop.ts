import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { waitFor } from '../support/wait-for.ts';
import { type Programs, written } from './programs.ts';

/** A desktop without a screen: an X server, its own session bus and a notification daemon. */
export interface Desktop {
  /** The environment of programs on it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The notifications so far, newest first. */
  shown(): Promise<readonly { readonly title: string; readonly text: string }[]>;
}

/** The programs of a desktop. */
export const desktopTools = ['Xvfb', 'dbus-daemon', 'dunst', 'dunstctl', 'notify-send'] as const;

/** Starts a desktop, which is stopped with the other programs of the test file. */
export async function startDesktop(programs: Programs): Promise<Desktop> {
  const screen = programs.start('Xvfb', [
    '-displayfd',
    '1',
    '-screen',
    '0',
    '640x480x24',
    '-nolisten',
    'tcp',
  ]);
  const bus = programs.start('dbus-daemon', ['--session', '--print-address', '--nofork', '--nopidfile']);
  const environment = {
    DISPLAY: `:${await written(screen, 'stdout', /^(\d+)\n/)}`,
    DBUS_SESSION_BUS_ADDRESS: await written(bus, 'stdout', /^(\S+)\n/),
  };
  const settings = path.join(programs.folder(), 'dunstrc');
  writeFileSync(settings, '[global]\n  history_length = 100\n');
  programs.start('dunst', ['-conf', settings], { environment });
  const control = (command: string) => programs.run('dunstctl', [command], { environment });
  await waitFor(async () => {
    const { code, stderr } = await control('is-paused');
    if (code !== 0) throw new Error(stderr);
  });
  return {
    environment,
    async shown() {
      // The daemon lists notifications that are no longer on the screen.
      await control('close-all');
      const { stdout } = await control('history');
      const { data }: { data: Record<'summary' | 'body', { data: string }>[][] } = JSON.parse(stdout);
      return data.flat().map(({ summary, body }) => ({ title: summary.data, text: body.data }));
    },
  };
}
