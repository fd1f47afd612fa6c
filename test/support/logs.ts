const TAIL_CHARACTERS = 6_000;

const kept = new Map<string, () => string>();

/** Keeps the log of a program that a test file started, to be printed if a test of the file fails. */
export function keepLog(name: string, read: () => string): void {
  kept.set(`${name} (${kept.size + 1})`, read);
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
