import type { Failed } from '../../catalog/platform.ts';

const KEY_HINT =
  'The key is missing, wrong or revoked: create a new API key in the settings of the web app and replace the old one.';
const ROLE_HINT =
  'The owner of the key needs the Manager or Owner role in the organization. Analytics also need the Enterprise plan, and refuse keys of service accounts.';
const MISSING_HINT =
  'Check the configured URL. Analytics need the Enterprise plan, and a key that is not of a service account.';

/** What an operator can do about a refused request, by its status. */
export function advice(status: number): string | undefined {
  if (status === 401) return KEY_HINT;
  if (status === 403) return ROLE_HINT;
  return status === 404 ? MISSING_HINT : undefined;
}

/**
 * Whether the platform rejected a request because its last day is not over yet by the platform's clock: request one day
 * less. Distinguished from other 400s by the text, because the body has no code.
 */
export function isNotYet({ status, message }: Failed): boolean {
  return status === 400 && /\btoday\b|\blag\b|\bfuture\b|\bnot yet\b/i.test(message);
}
