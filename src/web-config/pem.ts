import type { Place } from '../config/tree.ts';

/** A PEM text and the key that gives it. */
export interface Pem {
  readonly place: Place;
  readonly text: string;
}
