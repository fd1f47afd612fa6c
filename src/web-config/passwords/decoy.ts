import { createHmac, randomInt } from 'node:crypto';

const ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** Salt and digest of a bcrypt hash. */
const TAIL_LENGTH = 53;

/**
 * Hashes that no password has, for users who do not exist: their check costs as much as that of one of those who do,
 * and of the same one each time, so that the time of an answer tells nothing.
 */
export function createDecoys(secret: Buffer): (user: string, hashes: readonly string[]) => string {
  const tail = Array.from({ length: TAIL_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return (user, hashes) => {
    const digest = createHmac('sha256', secret).update(user).digest();
    const model = hashes[digest.readUInt32BE(0) % Math.max(1, hashes.length)] ?? '$2b$10$';
    return model.slice(0, 7) + tail;
  };
}
