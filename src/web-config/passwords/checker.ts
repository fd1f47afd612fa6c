import { createHmac, randomBytes } from 'node:crypto';
import type { Comparing } from './comparing.ts';
import type { Credentials } from './credentials.ts';
import { createDecoys } from './decoy.ts';

/** Comparisons that may wait at a time, so that nobody waits long. */
const MOST_WAITING = 32;
/** Of these, the share of one address: who guesses passwords keeps no scraper elsewhere from being let in. */
const MOST_WAITING_OF_ADDRESS = 4;
/** Credentials that were right and are not compared again. */
const REMEMBERED = 256;

export type Verdict = 'right' | 'wrong' | 'busy';

/** Says whether credentials are right. */
export interface PasswordChecker {
  /**
   * At once for credentials that were right before; else after a comparison of the same cost for users who exist
   * and users who do not, or `busy` where too many wait already. Rejects where comparing fails.
   */
  check(given: Credentials, users: ReadonlyMap<string, string>, address: string): Verdict | Promise<Verdict>;
}

/** Creates a checker. It keeps no password: what was right is remembered by a keyed hash, with the user's bcrypt hash. */
export function createPasswordChecker(comparing: Pick<Comparing, 'compare'>): PasswordChecker {
  const secret = randomBytes(32);
  const decoyOf = createDecoys(secret);
  const right = new Set<string>();
  const waiting = new Map<string, Promise<Verdict>>();
  const waitingOf = new Map<string, number>();

  function check({ user, password }: Credentials, users: ReadonlyMap<string, string>, address: string) {
    const known = users.get(user);
    const hash = known ?? decoyOf(user, [...users.values()]);
    const key = createHmac('sha256', secret)
      .update(JSON.stringify([user, hash, password]))
      .digest('base64');
    if (right.delete(key)) {
      // Back in as the newest.
      right.add(key);
      return 'right';
    }
    const underWay = waiting.get(key);
    if (underWay !== undefined) return underWay;
    const own = waitingOf.get(address) ?? 0;
    if (waiting.size >= MOST_WAITING || own >= MOST_WAITING_OF_ADDRESS) return 'busy';
    waitingOf.set(address, own + 1);
    const verdict = compare(key, password, hash, known !== undefined).finally(() => {
      waiting.delete(key);
      release(address);
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

  function release(address: string): void {
    const left = (waitingOf.get(address) ?? 1) - 1;
    if (left === 0) waitingOf.delete(address);
    else waitingOf.set(address, left);
  }

  return { check };
}
