import { withDigest } from '../catalog/label.ts';

const URL_FORM = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)(.*)$/is;
const SCHEMES = new Set(['http', 'https', 'git', 'ssh', 'git+ssh', 'ssh+git', 'git+http', 'git+https']);
/** Default ports. Ports of other protocols select a transport, not another repository. */
const WEB_PORTS: Readonly<Record<string, number>> = {
  http: 80,
  https: 443,
  'git+http': 80,
  'git+https': 443,
};
/** Forges on which `Acme/App` and `acme/app` are one repository. */
const CASELESS_FORGES = new Set([
  'github.com',
  'gitlab.com',
  'bitbucket.org',
  'codeberg.org',
  'dev.azure.com',
  'ssh.dev.azure.com',
]);
/** Words in parameter names whose values may be credentials. Those values are not used, not even in a digest. */
const CREDENTIAL =
  /^(?:auth|authorization|bearer|code|jwt|key|login|oauth2?|pass|pat|pwd|session|sid|sig|user|username)$|(?:accesskey|apikey|credentials?|passphrase|passwd|password|privatekey|secret|signature|token)s?$/;
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/;
const PORT = /:(\d*)$/;
const SEGMENT = /^(?! )[\p{L}\p{M}\p{N}._~+ -]+(?<! )$/u;
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * The host and path of a repository (`github.com/acme/app`), from any usual form of its address: a URL, ssh's
 * `git@host:path`, or `host/path`. The host is lower-cased, and so is the path on case-insensitive forges; user,
 * password and a trailing `.git` are removed. Anything else that can distinguish repositories is kept: a non-default
 * web port, and as a digest the query (without parameters that may be credentials) and the fragment. Undefined if the
 * address is not a repository on a host, or if the part after the host could contain a credential: such an address must
 * never be published.
 */
export function repositoryOf(address: string): string | undefined {
  const trimmed = address.trim();
  if (UNPRINTABLE.test(trimmed)) return undefined;
  const parts = partsOf(trimmed);
  if (parts === undefined || !HOST.test(parts.host)) return undefined;
  const { host, port, rest } = parts;
  const path = pathOf(rest.replace(/[?#].*$/s, ''));
  if (path === undefined) return undefined;
  const shown = `${host}${port}/${CASELESS_FORGES.has(host) ? path.toLowerCase() : path}`;
  const more = moreOf(rest);
  return more === '' ? shown : withDigest(shown, shown + more);
}

interface Parts {
  readonly host: string;
  /** With its colon; empty for a default port. */
  readonly port: string;
  /** Path, query and fragment. */
  readonly rest: string;
}

function partsOf(address: string): Parts | undefined {
  const url = URL_FORM.exec(address);
  if (url === null) return shortParts(address);
  const [, name = '', authority = '', rest = ''] = url;
  const scheme = name.toLowerCase();
  // An unescaped `/`, `?` or `#` in a password ends the authority early, so that the `@` comes after it.
  if (!SCHEMES.has(scheme) || rest.includes('@')) return undefined;
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const port = Number(PORT.exec(host)?.[1] || 0);
  const usual = WEB_PORTS[scheme];
  const isSignificant = usual !== undefined && port !== 0 && port !== usual;
  return {
    host: host.replace(PORT, '').toLowerCase(),
    port: isSignificant ? `:${port}` : '',
    rest,
  };
}

/** The forms without a scheme: `user@host:path`, `host:path` and `host/path`. */
function shortParts(address: string): Parts | undefined {
  const at = address.lastIndexOf('@');
  if (/[/?#\\]/.test(address.slice(0, Math.max(at, 0)))) return undefined;
  const [, host = '', rest = ''] = /^([^:/]*)[:/](.*)$/s.exec(address.slice(at + 1)) ?? [];
  // Without a user, only a dotted name is a host: `C:/work` and `src/app` are local paths.
  if (at < 0 && !/[^.]\.[^.]/.test(host)) return undefined;
  return { host: host.toLowerCase(), port: '', rest };
}

function pathOf(raw: string): string | undefined {
  const segments: string[] = [];
  for (const encoded of raw.split('/')) {
    if (encoded === '') continue;
    const segment = decoded(encoded);
    if (segment === undefined || !SEGMENT.test(segment) || /^\.+$/.test(segment)) return undefined;
    segments.push(segment);
  }
  const path = segments.join('/').replace(/(?: *\.git)+$/i, '');
  return path === '' || path.endsWith('/') ? undefined : path;
}

/** The normalized query and fragment, independent of parameter order and without possible credentials. */
function moreOf(rest: string): string {
  const [, query = '', fragment = ''] = /^[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(rest) ?? [];
  const asked = parametersOf(query);
  const within = parametersOf(fragment);
  return `${asked === '' ? '' : `?${asked}`}${within === '' ? '' : `#${within}`}`;
}

function parametersOf(text: string): string {
  const kept = [...new URLSearchParams(text)].filter(([name]) => !mayBeCredential(name));
  return kept
    .map(
      ([name, value]) =>
        `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`,
    )
    .sort()
    .join('&');
}

function mayBeCredential(name: string): boolean {
  const words = name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => CREDENTIAL.test(word));
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
