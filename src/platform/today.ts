import type { PlatformError } from '../runtime/errors.ts';

/**
 * Whether the platform refused a request because its last day is not over yet by the platform's clock: ask for
 * one day less. Told from other 400s by the words, since the body carries no code.
 */
export function isAboutToday(error: PlatformError): boolean {
  return error.status === 400 && /\btoday\b|\blag\b|\bfuture\b|\bnot yet\b/i.test(error.message);
}
