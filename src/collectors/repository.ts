const URL_FORM = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)(.*)$/is;
const SCHEMES = new Set(['http', 'https', 'git', 'ssh', 'git+ssh', 'ssh+git', 'git+http', 'git+https']);
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/;
const PORT = /:\d*$/;
const SEGMENT = /^(?! )[\p{L}\p{M}\p{N}._~+ -]+(?<! )$/u;
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * A repository's host and path alone (`github.com/acme/app`), from any usual form of its address: a URL, ssh's
 * `git@host:path`, or `host/path`. The host is lower-cased; user, password, port, query, fragment and a trailing
 * `.git` are dropped. Undefined where the address names no repository on a host, or where what follows the
 * host might still be a part of a credential: such an address is never to be shown.
 */
export function repositoryOf(address: string): string | undefined {
  const trimmed = address.trim();
  if (UNPRINTABLE.test(trimmed)) return undefined;
  const parts = partsOf(trimmed);
  if (parts === undefined || !HOST.test(parts.host)) return undefined;
  const path = pathOf(parts.path);
  return path === undefined ? undefined : `${parts.host}/${path}`;
}

interface Parts {
  readonly host: string;
  readonly path: string;
}

function partsOf(address: string): Parts | undefined {
  const url = URL_FORM.exec(address);
  if (url === null) return shortParts(address);
  const [, scheme = '', authority = '', rest = ''] = url;
  // An unescaped `/`, `?` or `#` in a password ends the authority early, so that the `@` comes after it.
  if (!SCHEMES.has(scheme.toLowerCase()) || rest.includes('@')) return undefined;
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(PORT, '');
  return { host: host.toLowerCase(), path: rest };
}

/** The forms without a scheme: `user@host:path`, `host:path` and `host/path`. */
function shortParts(address: string): Parts | undefined {
  const at = address.lastIndexOf('@');
  if (/[/?#\\]/.test(address.slice(0, Math.max(at, 0)))) return undefined;
  const [, host = '', path = ''] = /^([^:/]*)[:/](.*)$/s.exec(address.slice(at + 1)) ?? [];
  // Without a user, only a dotted name is a host: `C:/work` and `src/app` are paths of somebody's disk.
  if (at < 0 && !/[^.]\.[^.]/.test(host)) return undefined;
  return { host: host.toLowerCase(), path };
}

function pathOf(raw: string): string | undefined {
  const segments: string[] = [];
  for (const encoded of raw.replace(/[?#].*$/s, '').split('/')) {
    if (encoded === '') continue;
    const segment = decoded(encoded);
    if (segment === undefined || !SEGMENT.test(segment) || /^\.+$/.test(segment)) return undefined;
    segments.push(segment);
  }
  const path = segments.join('/').replace(/(?:\.git)+$/i, '');
  return path === '' || path.endsWith('/') ? undefined : path;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
