import { withDigest } from '../catalog/label.ts';

const URL_FORM = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)(.*)$/is;
const SCHEMES = new Set(['http', 'https', 'git', 'ssh', 'git+ssh', 'ssh+git', 'git+http', 'git+https']);
/** The ports that go without saying. Other protocols' ports name a way to a repository, not another repository. */
const WEB_PORTS: Readonly<Record<string, number>> = {
  http: 80,
  https: 443,
  'git+http': 80,
  'git+https': 443,
};
/** Forges on which `Acme/App` and `acme/app` are one repository. */
const CASELESS_FORGES = new Set([
  ...['github.com', 'gitlab.com', 'bitbucket.org', 'codeberg.org', 'dev.azure.com', 'ssh.dev.azure.com'],
]);
/** A word in the name of a parameter whose value may be a credential; nothing of it is used, not even in a digest. */
const CREDENTIAL =
  /^(?:auth|authorization|bearer|code|jwt|key|login|oauth2?|pass|pat|pwd|session|sid|sig|user|username)$|(?:accesskey|apikey|credentials?|passphrase|passwd|password|privatekey|secret|signature|token)s?$/;
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/;
const PORT = /:(\d*)$/;
const SEGMENT = /^(?! )[\p{L}\p{M}\p{N}._~+ -]+(?<! )$/u;
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * A repository's host and path (`github.com/acme/app`), from any usual form of its address: a URL, ssh's
 * `git@host:path`, or `host/path`. The host is lower-cased, and the path on forges that ignore case; user, password and
 * a trailing `.git` are dropped. What else may tell repositories apart stays: a web port that is not the scheme's own,
 * and as a digest the query (without parameters that may be credentials) and the fragment. Undefined where the address
 * names no repository on a host, or where what follows the host might still be a part of a credential: such an address is
 * never to be shown.
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
  /** With its colon; empty where it tells nothing apart. */
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
  const tellsApart = usual !== undefined && port !== 0 && port !== usual;
  return {
    host: host.replace(PORT, '').toLowerCase(),
    port: tellsApart ? `:${port}` : '',
    rest,
  };
}

/** The forms without a scheme: `user@host:path`, `host:path` and `host/path`. */
function shortParts(address: string): Parts | undefined {
  const at = address.lastIndexOf('@');
  if (/[/?#\\]/.test(address.slice(0, Math.max(at, 0)))) return undefined;
  const [, host = '', rest = ''] = /^([^:/]*)[:/](.*)$/s.exec(address.slice(at + 1)) ?? [];
  // Without a user, only a dotted name is a host: `C:/work` and `src/app` are paths of somebody's disk.
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
  const path = segments.join('/').replace(/(?:\.git)+$/i, '');
  return path === '' || path.endsWith('/') ? undefined : path;
}

/** The query and the fragment in one form whatever the order of the parameters, without what may be a credential. */
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
