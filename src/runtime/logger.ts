/** Fields of a log event: flat, and already free of known secrets. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Structured log. `error`: someone must act; `warn`: the service is degraded; `info`: something changed. Messages are
 * constant; variable parts are fields.
 */
export interface Logger {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
}

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
