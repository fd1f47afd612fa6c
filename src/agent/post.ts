import type { IncomingMessage } from 'node:http';
import type { Environment } from '../config/process-environment.ts';
import { codeOf, readNow } from '../files/local-file.ts';
import { unreadable } from '../files/text-file.ts';
import { pasteProblem } from '../log/pasted-key.ts';
import { connectAttemptMs, httpClient } from '../net/http-client.ts';
import { ProxyError, type ProxySettings, throughProxy } from '../net/proxy.ts';
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
  /** Whether the body of the response, which may never end, does not matter. */
  readonly statusOnly?: boolean;
}

/** Sends a POST; rejects with a `PostError` if there is no response in time. Redirects are not followed. */
export type Post = (request: PostRequest) => Promise<Answer>;

/** A POST without a response. `code` is the system's, or `ETIMEDOUT`; the message contains no URL. */
export class PostError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'PostError';
    this.code = code;
  }
}

const MAX_BODY_LENGTH = 16_384;

/** Creates a POST by Node's own client, through the proxy that the settings name for its URL, if any. */
export function createPost(settings: ProxySettings): Post {
  const direct = { agent: false, proxy: undefined, close: undefined } as const;

  // Loaded only if there is a proxy, and its agents only for a URL that is not excluded.
  async function connectionFor(url: URL, timeoutMs: number, ca: string[] | undefined) {
    if ((settings.HTTP_PROXY ?? settings.HTTPS_PROXY) === undefined) return direct;
    const { parseProxies } = await import('../net/proxy-address.ts');
    // A variable for the other scheme may be of another kind.
    const { [url.protocol === 'https:' ? 'HTTP_PROXY' : 'HTTPS_PROXY']: _, ...proxy } = settings;
    if (parseProxies(proxy)(url) === undefined) return direct;
    const { createAgentPool } = await import('../net/agents.ts');
    const agents = createAgentPool({ keepAlive: false, maxSockets: 1, limitMs: timeoutMs, proxy, ca });
    return { ...agents.for(url), close: agents.destroy };
  }

  return async ({ url: address, body, headers = {}, caFile, timeoutMs, statusOnly = false }) => {
    const url = new URL(address);
    const ca = caFile === undefined ? undefined : await certificatesWith(caFile);
    const { agent, proxy, close } = await connectionFor(url, timeoutMs, ca);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    function fail(error: Error): void {
      const code = codeOf(error);
      const why = code === 'unknown' ? 'the request failed' : code;
      reject(new PostError(code, error instanceof ProxyError ? error.message : why + throughProxy(proxy)));
    }
    const options = {
      ...(ca === undefined ? {} : { ca }),
      autoSelectFamilyAttemptTimeout: connectAttemptMs(timeoutMs),
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'agent-platform-exporter-hook',
        ...headers,
      },
      agent,
    };
    const request = httpClient(url.protocol === 'https:').request(url, options, (response) => {
      readAnswer(response, statusOnly).then(resolve, fail);
    });
    const timer = setTimeout(() => {
      const why = `no answer within ${timeoutMs} ms`;
      reject(new PostError('ETIMEDOUT', `${why}${throughProxy(proxy)}`));
    }, timeoutMs);
    request.on('error', fail).end(body);
    return promise.finally(() => {
      clearTimeout(timer);
      request.destroy();
      close?.();
    });
  };
}

async function readAnswer(response: IncomingMessage, statusOnly: boolean): Promise<Answer> {
  let text = '';
  for await (const part of statusOnly ? [] : response.setEncoding('utf8')) {
    text += part;
    if (text.length >= MAX_BODY_LENGTH) break;
  }
  const { statusCode = 0, headers } = response;
  return { status: statusCode, retryAfter: headers['retry-after'], body: text.slice(0, MAX_BODY_LENGTH) };
}

/** The default certificates and those of a PEM file; throws an error that names a file that cannot be read or has none. */
export async function certificatesWith(file: string): Promise<string[]> {
  const name = `the file of certificates ${file}`;
  const own = textIn(file, name);
  // TLS ignores anything else, and the failure would be that of an unknown certificate.
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
