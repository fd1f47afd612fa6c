import { hash as digest } from 'node:crypto';
import type { Person } from '../../catalog/people.ts';

/** How people are told apart. */
export const identities = ['none', 'hash', 'id', 'email'] as const;
export type Identity = (typeof identities)[number];

/** How a person is called. */
export interface Labels {
  /** Another one for another way to call people, and for another key. */
  readonly fingerprint: string;
  labelOf(person: Person): string | undefined;
}

const digits = 16;

/** The labels of a mode; `key` is that of the hashes. */
export function createLabels(identity: Identity, key: string): Labels {
  const hash = createShortHmac(key);
  switch (identity) {
    case 'none':
      return { fingerprint: 'none', labelOf: () => undefined };
    case 'hash':
      // Of something that is nobody's id, since it is kept beside the hashes.
      return { fingerprint: `hash ${hash('\0')}`, labelOf: remembered(hash) };
    case 'id':
      return { fingerprint: 'id', labelOf: ({ id }) => id };
    case 'email':
      // An id rather than nothing: people without an address are not one person.
      return { fingerprint: 'email', labelOf: ({ id, email }) => email ?? id };
  }
}

/** Makes each person's hash once: the same people come every few hours. */
function remembered(hash: (id: string) => string): Labels['labelOf'] {
  const hashes = new Map<string, string>();
  return ({ id }) => {
    let made = hashes.get(id);
    if (made === undefined) {
      if (hashes.size >= REMEMBERED) hashes.clear();
      made = hash(id);
      hashes.set(id, made);
    }
    return made;
  };
}

/** Some mebibytes' worth. */
const REMEMBERED = 50_000;

/**
 * The first digits of HMAC-SHA-256 with a key. Node's own makes an object for each text, which takes three times as
 * long as the two hashes that an HMAC is made of.
 */
function createShortHmac(key: string): (text: string) => string {
  const bytes = Buffer.from(key);
  const padded = bytes.length > BLOCK ? digest('sha256', bytes, 'buffer') : bytes;
  const inner = Buffer.alloc(BLOCK, INNER);
  const outer = Buffer.alloc(BLOCK + 32, OUTER);
  for (const [index, byte] of padded.entries()) {
    inner[index] = byte ^ INNER;
    outer[index] = byte ^ OUTER;
  }
  let message = Buffer.alloc(BLOCK + SHORT);
  inner.copy(message);
  return (text) => {
    const length = Buffer.byteLength(text);
    if (BLOCK + length > message.length) message = Buffer.concat([inner, Buffer.alloc(length)]);
    message.write(text, BLOCK);
    outer.write(digest('sha256', message.subarray(0, BLOCK + length), 'hex'), BLOCK, 'hex');
    // Not a slice of the whole text, which would keep that in memory and be slower to compare.
    return digest('sha256', outer, 'buffer').toString('hex', 0, digits / 2);
  };
}

/** What nearly all ids fit into, in bytes. */
const SHORT = 256;
/** Of SHA-256, in bytes. */
const BLOCK = 64;
const INNER = 0x36;
const OUTER = 0x5c;
