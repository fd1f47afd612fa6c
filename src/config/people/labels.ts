import { createHmac } from 'node:crypto';
import type { Person } from '../../catalog/settings.ts';

/** How people are identified in labels. */
export const identities = ['none', 'hash', 'id', 'email'] as const;
export type Identity = (typeof identities)[number];

/** The label values of people. */
interface Labels {
  /** Differs between modes and keys. */
  readonly fingerprint: string;
  labelOf(person: Person): string | undefined;
}

const DIGITS = 16;

/** Creates the labels of a mode; `key` is the hash key. */
export function createLabels(identity: Identity, key: string): Labels {
  const hash = (text: string) =>
    createHmac('sha256', key)
      .update(text)
      .digest()
      .toString('hex', 0, DIGITS / 2);
  switch (identity) {
    case 'none':
      return { fingerprint: 'none', labelOf: () => undefined };
    case 'hash':
      // Hashes a text that is not an id, because the result is stored next to the hashes.
      return { fingerprint: `hash ${hash('\0')}`, labelOf: ({ id }) => hash(id) };
    case 'id':
      return { fingerprint: 'id', labelOf: ({ id }) => id };
    case 'email':
      // The id if there is no address: people without one must not be merged.
      return { fingerprint: 'email', labelOf: ({ id, email }) => email ?? id };
  }
}
