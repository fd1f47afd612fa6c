/** The source of a secret, which is read when needed. */
export type Secret = { readonly file: string } | { readonly variable: string };

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** Time limit of the command, from the start of the process, in milliseconds. */
export const defaultDeadlineMs = 2500;

/** How much of the events is kept on disk: 10 MiB and seven days. */
export const standardLimits = { maxBytes: 10_485_760, maxAgeMs: 604_800_000 };
