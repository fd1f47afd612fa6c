import { PassThrough } from 'node:stream';

const TAIL_CHARACTERS = 6_000;

const kept = new Map<string, () => string>();

/** Keeps the log of a program that a test file started, to be printed if a test of the file fails. */
export function keepLog(name: string, read: () => string): void {
  kept.set(`${name} (${kept.size + 1})`, read);
}

/** A stream for the log of what runs in the process of the test, which is kept like that of a program, and its text so far. */
export function createKeptStream(name: string) {
  const stderr = new PassThrough({ encoding: 'utf8' });
  let text = '';
  stderr.on('data', (part: string) => {
    text += part;
  });
  const log = () => text;
  keepLog(name, log);
  return { stderr, log };
}

/** The ends of all logs kept so far, by name. */
export function keptLogs(): string {
  return [...kept].map(([name, read]) => `--- log of ${name}\n${tail(read().trimEnd())}`).join('\n');
}

/** Discards all logs. */
export function forgetLogs(): void {
  kept.clear();
}

function tail(text: string): string {
  if (text === '') return '(empty)';
  return text.length <= TAIL_CHARACTERS ? text : `... ${text.slice(-TAIL_CHARACTERS)}`;
}
