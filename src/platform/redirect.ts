/** Where a redirect leads, or the plain words why it is not followed. */
export type Redirect = { readonly to: URL } | { readonly refused: string };

/** How many redirects of one request are followed. */
export const MAX_REDIRECTS = 3;

/** Whether a status asks the client to look elsewhere. */
export function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

/**
 * Judges a redirect: only 307 and 308 promise the same request, and only the same scheme, host and port may
 * see the key. Where the new address has no query, the old one is kept: the listing's cursor is in it.
 */
export function judgeRedirect(from: URL, status: number, location: string | undefined): Redirect {
  if (status !== 307 && status !== 308) {
    return { refused: 'a redirect that may change the request and is not followed' };
  }
  if (location === undefined || !URL.canParse(location, from.href)) {
    return { refused: 'a redirect without a usable address' };
  }
  const to = new URL(location, from.href);
  if (to.protocol !== from.protocol) {
    return {
      refused: `a redirect from ${bare(from.protocol)} to ${bare(to.protocol)}, which is not followed with a key`,
    };
  }
  if (to.host !== from.host)
    return { refused: 'a redirect to another host, which must not be given the key' };
  to.username = '';
  to.password = '';
  to.hash = '';
  if (to.search === '') to.search = from.search;
  return { to };
}

function bare(protocol: string): string {
  return protocol.replace(':', '').slice(0, 10);
}
