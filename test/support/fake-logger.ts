import type { LogFields, Logger } from '../../src/log/logger.ts';

interface LoggedEvent {
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger for tests that records its events. */
export function createFakeLogger(): Logger & { readonly events: LoggedEvent[] } {
  const events: LoggedEvent[] = [];
  function at(level: LoggedEvent['level']) {
    return (message: string, fields: LogFields = {}) => {
      events.push({ level, message, fields });
    };
  }
  return { events, error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}
