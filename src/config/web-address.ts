import { type Parsed, quoted } from './parsed.ts';

// The service's own routes beside the metrics.
const ownPaths = /^\/(?:$|status$|probe$|-(?:\/|$)|hooks(?:\/|$))/;

/** Reads an http or https address; its text is never repeated in a problem, since it may hold a password. */
export function parseUrl(text: string): Parsed<string> {
  const url = /\s/.test(text) ? null : URL.parse(text);
  if (url === null || url.hostname === '') {
    return { problem: 'is not an address, such as https://api.example.com' };
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { problem: 'must begin with https:// or http://' };
  }
  if (url.username !== '' || url.password !== '') {
    return { problem: 'must not carry a user name or password' };
  }
  if (text.includes('?') || text.includes('#')) return { problem: 'must not have a query or a fragment' };
  return { value: url.origin + url.pathname.replace(/\/+$/, '') };
}

/** Reads the path of a page of this service. */
export function parseHttpPath(text: string): Parsed<string> {
  if (!/^(?:\/[A-Za-z0-9._~-]+)+$/.test(text)) {
    return {
      problem: `${quoted(text)} is not a path of letters, digits and . _ ~ - such as /metrics`,
    };
  }
  if (ownPaths.test(text)) return { problem: `${text} already belongs to another page of this service` };
  return { value: text };
}
