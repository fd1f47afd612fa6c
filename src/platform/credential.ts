import { createHmac } from 'node:crypto';
import { PlatformError } from '../runtime/errors.ts';

const HINT =
  'The key is missing, wrong or revoked: create a new API key in the settings of the web app and put it in place of the old one.';

/** The error of a key that the platform refuses, or that cannot be sent at all. */
export function keyError(message: string, status?: number): PlatformError {
  return new PlatformError('auth', message, { hint: HINT, status });
}

/** Asks for the key; a `PlatformError` with reason `auth` where there is none that a header could carry. */
export async function readKey(credential: () => Promise<string>): Promise<string | PlatformError> {
  let key: string;
  try {
    key = (await credential()).trim();
  } catch (thrown) {
    // The cause may quote the file's content: the kind of failure is all that is told.
    const code: unknown = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
    const why = typeof code === 'string' && /^[A-Z_]{2,30}$/.test(code) ? ` (${code})` : '';
    return keyError(`the API key could not be read${why}`);
  }
  if (key === '') return keyError('the API key is empty');
  if (!/^[\x21-\x7e]+$/.test(key)) return keyError('the API key holds characters that a header cannot carry');
  return key;
}

/** Tells one key of an organization from another; the key cannot be found from it. */
export function fingerprintOfKey(key: string, org: string): string {
  return createHmac('sha256', `agent-platform-exporter/${org}`).update(key).digest('hex').slice(0, 16);
}
