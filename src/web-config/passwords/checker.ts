import { createHmac, randomBytes } from 'node:crypto';
import { createCapacity } from '../../work/capacity.ts';
import type { Comparing } from './comparing.ts';

/** Maximum number of pending comparisons. */
const MAX_WAITING = 32;
/** Maximum per address: guessing passwords must not lock out scrapers elsewhere. */
const MAX_WAITING_OF_ADDRESS = 4;
/** Number of correct credentials that are cached. */
const REMEMBERED = 256;

export type Verdict = 'right' | 'wrong' | 'busy';

/** Checks credentials. */
export type PasswordChecker = ReturnType<typeof createPasswordChecker>;

/**
 * Creates a checker. It stores no password: correct credentials are cached by a keyed hash, with the user's bcrypt
 * hash.
 */
export function createPasswordChecker(comparing: Pick<Comparing, 'compare'>) {
  const secret = randomBytes(32);
  const decoyOf = createDecoys(secret);
  const right = new Set<string>();
  const waiting = new Map<string, Promise<Verdict>>();
  const capacity = createCapacity({ total: MAX_WAITING, perOwner: MAX_WAITING_OF_ADDRESS });

  /**
   * Resolves at once for credentials that were right before; otherwise after a comparison, at the same cost for
   * existing and unknown users, or with `busy` if too many are pending. Rejects if comparing fails.
   */
  function check(
    { user, password }: Credentials,
    users: ReadonlyMap<string, string>,
    address: string,
  ): Verdict | Promise<Verdict> {
    const known = users.get(user);
    const hash = known ?? decoyOf(user, [...users.values()]);
    const key = createHmac('sha256', secret)
      .update(JSON.stringify([user, hash, password]))
      .digest('base64');
    if (right.delete(key)) {
      // Moved to the end, as the newest.
      right.add(key);
      return 'right';
    }
    const underWay = waiting.get(key);
    if (underWay !== undefined) return underWay;
    const end = capacity.enter(address);
    if (end === undefined) return 'busy';
    const verdict = compare(key, password, hash, known !== undefined).finally(() => {
      waiting.delete(key);
      end();
    });
    waiting.set(key, verdict);
    return verdict;
  }

  async function compare(key: string, password: string, hash: string, isUser: boolean): Promise<Verdict> {
    const matches = await comparing.compare(password, hash);
    if (!matches || !isUser) return 'wrong';
    right.add(key);
    for (const oldest of right) {
      if (right.size <= REMEMBERED) break;
      right.delete(oldest);
    }
    return 'right';
  }

  return { check };
}

/** A user name and a password, as sent by a client. */
interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** Parses an `Authorization` header of the scheme Basic; undefined if it is not one. */
export function basicCredentials(header: string | undefined): Credentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return undefined;
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Salt and digest of a bcrypt hash. */
const TAIL_LENGTH = 53;

/**
 * Hashes that match no password, for unknown users: their check costs as much as that of an existing user, and always
 * the same one, so that the response time reveals nothing.
 */
function createDecoys(secret: Buffer): (user: string, hashes: readonly string[]) => string {
  // Of the alphabet of bcrypt, which has a dot where base64 has a plus.
  const tail = randomBytes(TAIL_LENGTH).toString('base64').replaceAll('+', '.').slice(0, TAIL_LENGTH);
  return (user, hashes) => {
    const digest = createHmac('sha256', secret).update(user).digest();
    const model = hashes[digest.readUInt32BE(0) % Math.max(1, hashes.length)] ?? '$2b$10$';
    return model.slice(0, 7) + tail;
  };
}
