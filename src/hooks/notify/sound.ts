import type { SoundChannel } from '../settings/settings.ts';
import type { SendBy } from './notice.ts';

type Player = readonly [program: string, ...args: readonly string[]];

/** Plays a sound with the first program that can. */
export const sendToSound: SendBy<SoundChannel> = async (channel, _notice, { run, platform, soundFile }) => {
  const problems: string[] = [];
  for (const [program, ...args] of playersFor(platform, channel.file ?? soundFile())) {
    try {
      await run(program, args);
      return;
    } catch (error) {
      problems.push(error instanceof Error ? error.message : program);
    }
  }
  throw new Error(`no player could play it: ${problems.join('; ')}`);
};

/** The programs that play a WAV file, the likeliest first. */
export function playersFor(platform: NodeJS.Platform, file: string): readonly Player[] {
  if (platform === 'darwin') return [['afplay', file]];
  if (platform === 'win32') {
    const literal = `'${file.replaceAll("'", "''")}'`;
    const script = `(New-Object Media.SoundPlayer ${literal}).PlaySync()`;
    return [['powershell', '-NoProfile', '-NonInteractive', '-Command', script]];
  }
  return [
    ['paplay', file],
    ['pw-play', file],
    ['aplay', '-q', file],
    ['play', '-q', file],
    ['ffplay', '-nodisp', '-autoexit', '-loglevel', 'error', file],
  ];
}
