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
