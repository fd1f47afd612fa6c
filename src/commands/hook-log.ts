import type { HookLog } from '../hooks/log.ts';
import { createRedactor } from '../runtime/redact.ts';
import type { Output } from './command.ts';

/** The hook command's log for interactive use: on the terminal. */
export function createTerminalLog(stderr: Output): HookLog {
  const redactor = createRedactor(() => []);
  function write(message: string, fields: Readonly<Record<string, string | number>> = {}): void {
    const details = Object.entries(fields).map(([key, value]) => `${key}: ${value}`);
    stderr.write(`${redactor.redact([message, ...details].join(', '))}\n`);
  }
  return { error: write, warn: write, remember: (secret) => redactor.remember(secret) };
}
