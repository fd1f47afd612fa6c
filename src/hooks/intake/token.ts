import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../runtime/clock.ts';
import { messageOf } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';

/** `unknown`: the token cannot be read at present. */
type Verdict = 'right' | 'wrong' | 'unknown';

/** Checks whether a request has the hook token. */
export interface TokenCheck {
  check(authorization: string | undefined): Promise<Verdict>;
}

interface TokenCheckDeps {
  /** The source of the current token. */
  readonly token: { read(): Promise<string> };
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly log: Logger;
}

/** How long a token is cached, in milliseconds. */
const FRESH_MS = 1_000;

/** Creates a check that takes the same time for every wrong token. */
export function createTokenCheck({ token, clock, log }: TokenCheckDeps): TokenCheck {
  let known: { readonly digest: Promise<Buffer | undefined>; readonly at: number } | undefined;
  let isMissing = false;

  async function readDigest(): Promise<Buffer | undefined> {
    try {
      const digest = digestOf(await token.read());
      if (isMissing) log.info('Hook token readable again');
      isMissing = false;
      return digest;
    } catch (error) {
      if (!isMissing) {
        log.warn('Hook token unreadable; asking senders to retry', {
          error: messageOf(error),
          hint: 'write the token to its file',
        });
      }
      isMissing = true;
      return undefined;
    }
  }

  return {
    async check(authorization) {
      if (known === undefined || clock.elapsed() - known.at >= FRESH_MS) {
        known = { digest: readDigest(), at: clock.elapsed() };
      }
      const expected = await known.digest;
      if (expected === undefined) return 'unknown';
      const presented = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
      // Digests have the same length, whatever was sent.
      return timingSafeEqual(digestOf(presented ?? ''), expected) ? 'right' : 'wrong';
    },
  };
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
