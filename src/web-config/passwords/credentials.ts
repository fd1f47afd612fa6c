/** A user name and a password, as a client sent them. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** Reads an `Authorization` header of the scheme Basic; undefined where it is none. */
export function basicCredentials(header: string | undefined): Credentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return undefined;
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
