import { createHash, timingSafeEqual } from 'node:crypto';

/** The source of the current token; of the last valid one while the file cannot be read. */
export interface TokenSource {
  read(): Promise<string>;
}

/** Whether a header has the token; takes the same time for every wrong one. */
export async function hasToken(authorization: string | undefined, token: TokenSource): Promise<boolean> {
  const presented = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
  // Digests have the same length, whatever was sent.
  return timingSafeEqual(digestOf(presented), digestOf(await token.read()));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
