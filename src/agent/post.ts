import type { Environment } from '../config/process-environment.ts';
import { readNow } from '../files/local-file.ts';
import { unreadable } from '../files/text-file.ts';
import { pasteProblem } from '../log/pasted-key.ts';
import { beginningOf, type HttpAnswer, HttpClient } from '../net/http-client.ts';
import type { ProxySettings } from '../net/proxy.ts';
import type { Secret } from './settings/basics.ts';

/** The response to a POST. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** At most 16 KiB of the body. */
  readonly body: string;
}

/** One POST of a JSON text. */
export interface PostRequest {
  readonly url: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A file with certificates (PEM) that are trusted for this address in addition to the default ones. */
  readonly caFile?: string | undefined;
  readonly timeoutMs: number;
  /** Whether to skip the body of the response, which may never end. */
  readonly statusOnly?: boolean;
}

/** Sends a POST; rejects with an `HttpError` if there is no response in time. Redirects are not followed. */
export type Post = (request: PostRequest) => Promise<Answer>;

const MAX_BODY_LENGTH = 16_384;

/** Creates a POST, through the proxy that the settings name for its URL, if any. */
export function createPost(settings: ProxySettings): Post {
  // Loaded only if there is a proxy, and its agents only for a URL that is not excluded.
  async function clientFor(url: URL, limitMs: number): Promise<HttpClient> {
    if ((settings.HTTP_PROXY ?? settings.HTTPS_PROXY) === undefined) return new HttpClient();
    const { parseProxies } = await import('../net/proxy-address.ts');
    // The variable for the other scheme may name another kind of proxy.
    const { [url.protocol === 'https:' ? 'HTTP_PROXY' : 'HTTPS_PROXY']: _, ...proxy } = settings;
    if (parseProxies(proxy)(url) === undefined) return new HttpClient();
    const { createAgentPool } = await import('../net/agents.ts');
    return new HttpClient({ agents: createAgentPool({ keepAlive: false, maxSockets: 1, limitMs, proxy }) });
  }

  return async ({ url: address, body, headers: more, caFile, timeoutMs, statusOnly = false }) => {
    const url = new URL(address);
    const ca = caFile === undefined ? undefined : await certificatesWith(caFile);
    const client = await clientFor(url, timeoutMs);
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'agent-platform-exporter-hook',
      ...more,
    };
    async function read({ status, header, stream }: HttpAnswer): Promise<Answer> {
      const text = statusOnly ? '' : await beginningOf(stream, MAX_BODY_LENGTH);
      return { status, retryAfter: header('retry-after'), body: text.slice(0, MAX_BODY_LENGTH) };
    }
    return client
      .send({ method: 'POST', url, headers, body, ca, timeoutMs }, read)
      .finally(() => client.close());
  };
}

/** The default certificates and those of a PEM file; throws an error that names a file that cannot be read or has none. */
export async function certificatesWith(file: string): Promise<string[]> {
  const name = `the file of certificates ${file}`;
  const own = textIn(file, name);
  // TLS ignores other content, and would then fail with an error about an unknown certificate.
  if (!/-----BEGIN [A-Z0-9 ]*CERTIFICATE-----/.test(own)) {
    throw new Error(`${name} contains no certificate in PEM format`);
  }
  const { getCACertificates } = await import('node:tls');
  return [...getCACertificates('default'), own];
}

/** Reads a secret; throws an error that names its source but never its value. */
export type ReadSecret = (secret: Secret) => string;

/** Reads secrets from files and environment variables; `remember` receives each one, so that the log can mask it. */
export function createSecrets(environment: Environment, remember: (secret: string) => void): ReadSecret {
  return (secret) => {
    const source = sourceOf(secret);
    const text = ('file' in secret ? textIn(secret.file) : (environment[secret.variable] ?? '')).trim();
    if (text === '') throw new Error(`${source} ${'file' in secret ? 'is empty' : 'is not set'}`);
    // Other characters cannot be sent in a header.
    if (!/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(text)) {
      throw new Error(`${source} contains invalid characters: line breaks, tabs or non-ASCII characters`);
    }
    remember(text);
    return text;
  };
}

/** The exporter's token; throws like `ReadSecret`, and if more than the token was pasted. */
export function readToken(source: Secret, secret: ReadSecret): string {
  const token = secret(source);
  const problem = pasteProblem(token);
  if (problem === undefined) return token;
  throw new Error(`${sourceOf(source)} contains ${problem}`);
}

/** The file or the variable that a secret is in. */
export function sourceOf(secret: Secret): string {
  return 'file' in secret ? secret.file : secret.variable;
}

function textIn(file: string, name = file): string {
  try {
    return readNow(file);
  } catch (error) {
    throw new Error(`${name} ${unreadable(error)}`);
  }
}
