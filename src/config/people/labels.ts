import { createHmac } from 'node:crypto';
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
  function hash(text: string): string {
    return createHmac('sha256', key).update(text).digest('hex').slice(0, digits);
  }
  switch (identity) {
    case 'none':
      return { fingerprint: 'none', labelOf: () => undefined };
    case 'hash':
      // Of something that is nobody's id, since it is kept beside the hashes.
      return { fingerprint: `hash ${hash('\0')}`, labelOf: ({ id }) => hash(id) };
    case 'id':
      return { fingerprint: 'id', labelOf: ({ id }) => id };
    case 'email':
      // An id rather than nothing: people without an address are not one person.
      return { fingerprint: 'email', labelOf: ({ id, email }) => email ?? id };
  }
}
