import dns from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { ApiAnswer, RowsAnswer } from '../catalog/source.ts';
import { redactSecrets } from '../log/redact.ts';
import { bareHost, isLoopback } from '../net/host-name.ts';
import { reachOf } from '../net/private-address.ts';
import { PlatformError } from '../text/errors.ts';
import { RefusedLink } from './response.ts';

/** Maximum number of characters of a link and of its host, and number of links in an answer. */
const MAX_LINK = 8_192;
const MAX_HOST = 253;
const MAX_LINKS = 100;

/** Where an answer's links may lead. */
export interface LinkRules {
  /** The address of the API. */
  readonly baseUrl: string;
  /**
   * The allowed hosts, with their subdomains: `example.com` allows `files.example.com`, and never `files-example.com`. A host with
   * private addresses must be listed by its own name; an entry with a leading dot allows only public addresses.
   */
  readonly linkHosts: readonly string[];
}

/** A link from an answer. Only its host may be shown: the rest is a secret. */
export interface Link {
  readonly url: URL;
  readonly host: string;
  /** Looks up the addresses of the host; finds none if one of them is not allowed. */
  readonly lookup: LookupFunction;
  /** After the look-up: the error, if an address of the host is not allowed and so no connection was opened. */
  refusal(): PlatformError | undefined;
}

/** Checks the links in answers. */
export type Links = ReturnType<typeof createLinks>;

/** Creates the check of links: of the URL before a connection, and of the addresses when the host is looked up. */
export function createLinks({ baseUrl, linkHosts }: LinkRules) {
  const isLocal = isLoopback(new URL(baseUrl).hostname);
  const allowed = linkHosts.map(hostOf);
  const named = new Set(linkHosts.filter((entry) => !entry.startsWith('.')).map(hostOf));

  function isListed(host: string): boolean {
    return allowed.some((entry) => host === entry || isBelow(host, entry));
  }

  function mayAsk(address: string, host: string): boolean {
    const reach = reachOf(address);
    return reach === 'public' || (named.has(host) && (reach === 'private' || isLocal));
  }

  return {
    /** Checks a link of an answer. `subject` names the request in errors; `key` never appears in one. Throws a `PlatformError`. */
    open(text: string, subject: string, key: string): Link {
      const url = urlIn(text);
      const host = bareHost(url?.hostname ?? '');
      if (url === undefined || host === '' || host.length > MAX_HOST) {
        throw refused(`${subject} answered a link that is no URL of a host`);
      }
      if (hasCredentials(url, text, key)) throw refused(`${subject} answered a link with credentials`);
      const shown = redactSecrets(host, [key]);
      const to = `${subject} answered a link to ${shown}`;
      if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal && isLoopback(host))) {
        throw refused(`${to} that is not https`);
      }
      const refusalOf = (address: string) =>
        reachOf(address) === 'loopback' && !isLocal
          ? refused(`${to}, which is this machine`)
          : refused(`${to}, whose address is not public`, allowing(shown));
      if (isIP(host) !== 0 && !mayAsk(host, host)) throw refusalOf(host);
      if (!isListed(host)) throw refused(`${to}, a host that is not allowed`, allowing(shown));
      let refusal: PlatformError | undefined;
      return {
        url,
        host: shown,
        lookup: (name, options, done) =>
          dns.lookup(name, { ...options, all: true }, (error, found) => {
            const [first] = found ?? [];
            const other = found?.find(({ address }) => !mayAsk(address, host));
            if (other !== undefined) refusal = refusalOf(other.address);
            if (error !== null || refusal !== undefined || first === undefined)
              done(error ?? refusal ?? null, []);
            else if (options.all === true) done(null, found);
            else done(null, first.address, first.family);
          }),
        refusal: () => refusal,
      };
    },
  };
}

/**
 * Requests an answer, and reads the bodies of its links one after another. Links expire: if a host refuses one, requests the answer
 * once more for new links. Undefined if the platform does not have the answer yet.
 */
export async function followLinks<Sum>(
  ask: () => Promise<ApiAnswer>,
  linksOf: (body: unknown) => readonly string[],
  read: (link: string) => Promise<RowsAnswer<Sum> | undefined>,
): Promise<RowsAnswer<Sum> | undefined> {
  for (let isAgain = false; ; isAgain = true) {
    const { body, bytes, isUnready } = await ask();
    if (isUnready) return undefined;
    const links = linksOf(body);
    if (links.length > MAX_LINKS) throw refused(`an answer with more than ${MAX_LINKS} links`);
    try {
      const parts: RowsAnswer<Sum>[] = [];
      for (const link of links) parts.push((await read(link)) ?? { sums: [], bytes: 0 });
      const all = parts.reduce((sum, part) => sum + part.bytes, bytes);
      return { sums: parts.flatMap(({ sums }) => sums), bytes: all };
    } catch (thrown) {
      if (isAgain || !(thrown instanceof RefusedLink)) throw thrown;
    }
  }
}

function urlIn(text: string): URL | undefined {
  return text.length <= MAX_LINK && URL.canParse(text) ? new URL(text) : undefined;
}

function hasCredentials({ username, password }: URL, text: string, key: string): boolean {
  const repeatsKey = key !== '' && text.toLowerCase().includes(key.toLowerCase());
  return username !== '' || password !== '' || repeatsKey;
}

/** The hint that allows a host; none for an IPv6 address, which cannot be configured. */
function allowing(host: string): string | undefined {
  if (host.includes(':')) return undefined;
  return `If the platform keeps its reports there, allow it for the organization in the configuration file: link_hosts: ["${host}"]`;
}

function refused(message: string, hint?: string): PlatformError {
  return new PlatformError('server', message, { hint });
}

/** The host of a configured entry, normalized as in a URL. */
function hostOf(entry: string): string {
  const host = entry.replace(/^\./, '');
  const url = `https://${isIP(host) === 6 ? `[${host}]` : host}`;
  return URL.canParse(url) ? bareHost(new URL(url).hostname) : '';
}

/** Whether a host is below a domain; nothing is below an address or a name without a dot. */
function isBelow(host: string, domain: string): boolean {
  return domain.includes('.') && isIP(domain) === 0 && host.endsWith(`.${domain}`);
}
