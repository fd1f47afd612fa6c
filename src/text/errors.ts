/** Why a collector fails, as the `reason` label of `agent_platform_exporter_collector_failing`. */
export const failureReasons = [
  'auth',
  'role',
  'throttled',
  'server',
  'network',
  'timeout',
  'schema',
  'limit',
  'organization',
  'store',
] as const;

export type FailureReason = (typeof failureReasons)[number];

/** What a request that got no answer failed at: the name of the host, the proxy, TLS, or the connection otherwise. */
export type FailedAt = 'name' | 'proxy' | 'tls' | 'connection';

/** A failed exchange with the platform: `message` is one short line without any secret. */
export class PlatformError extends Error {
  readonly reason: FailureReason;
  /** A hint for the operator, in plain words. */
  declare readonly hint: string | undefined;
  /** HTTP status, if there was an answer. */
  declare readonly status: number | undefined;
  /** No request is useful before this instant (milliseconds). */
  declare readonly retryAt: number | undefined;
  /** Whether a smaller request could succeed. */
  readonly tooLarge: boolean = false;
  /** Whether the platform does not have the last day yet: a request that ends with the day that it names, or a day earlier, could succeed. */
  declare readonly isNotYet: boolean | string | undefined;
  /** Undefined if there was an answer, or no request. */
  declare readonly failedAt: FailedAt | undefined;

  constructor(
    reason: FailureReason,
    message: string,
    details: Partial<
      Pick<PlatformError, 'hint' | 'status' | 'retryAt' | 'tooLarge' | 'isNotYet' | 'failedAt'>
    > = {},
  ) {
    super(message);
    this.name = 'PlatformError';
    this.reason = reason;
    Object.assign(this, details);
  }
}

/** An invalid configuration; `message` is one line that names the key and the problem. */
export class ConfigError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(printable(message));
    this.name = 'ConfigError';
    this.hint = hint;
  }
}

/** A text whose control characters, which terminals interpret, are escaped. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, escaped);
}

/** A character of the basic plane as JSON escapes it, such as `\u0007`. */
export function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The one-line message of any thrown value. */
export function messageOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.replace(/\s+/g, ' ').trim();
}

/** The result of work whose failure has no consequences; undefined if it fails. */
export function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
