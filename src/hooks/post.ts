import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Environment } from '../config/process-environment.ts';
import { unreadable } from '../runtime/text-file.ts';
import { codeOf, readNow } from './files.ts';
import type { Secret } from './settings/settings.ts';

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

/** Creates a POST by Node's own client; `proxies` are the environment variables that name a proxy, if any. */
export function createPost(proxies: Readonly<Record<string, string>> | undefined): Post {
  return async ({ url, body, headers = {}, caFile, timeoutMs }) => {
    const { protocol } = new URL(url);
    const tls = caFile === undefined ? {} : { ca: certificatesWith(caFile) };
    return new Promise((resolve, reject) => {
      // Not imported: importing all its members would take longer than the request.
      const client = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
      const options: RequestOptions = {
        ...tls,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': 'agent-platform-exporter-hook',
          ...headers,
        },
        agent: proxies === undefined ? false : new client.Agent({ proxyEnv: { ...proxies } }),
      };
      const request = client.request(url, options, onResponse);
      const timer = setTimeout(() => {
        finish(() => reject(new PostError('ETIMEDOUT', `no answer within ${timeoutMs} ms`)));
      }, timeoutMs);
      request.on('error', (error) => finish(() => reject(postError(error))));
      request.end(body);

      function finish(settle: () => void): void {
        clearTimeout(timer);
        settle();
        request.destroy();
      }
      function onResponse(response: IncomingMessage): void {
        readAnswer(response, request, (answer) => finish(() => resolve(answer)));
      }
    });
  };
}

function readAnswer(response: IncomingMessage, request: ClientRequest, done: (answer: Answer) => void): void {
  let text = '';
  function end(): void {
    const { statusCode = 0, headers } = response;
    done({ status: statusCode, retryAfter: headers['retry-after'], body: text });
  }
  response.setEncoding('utf8');
  response.on('data', (part: string) => {
    text = (text + part).slice(0, MAX_BODY_LENGTH);
    if (text.length === MAX_BODY_LENGTH) end();
  });
  response.on('end', end);
  response.on('error', (error) => request.emit('error', error));
}

function postError(error: Error): PostError {
  const code = codeOf(error);
  return new PostError(code, code === 'unknown' ? 'the request failed' : code);
}

const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];

/** The proxy variables of an environment; undefined if there are none. */
export function proxiesIn(environment: Environment): Readonly<Record<string, string>> | undefined {
  const found = proxyVariables.flatMap((name) => {
    const value = environment[name];
    return value ? [[name, value] as const] : [];
  });
  return found.some(([name]) => !/^no_/i.test(name)) ? Object.fromEntries(found) : undefined;
}

/** The default certificates and those of a PEM file; throws an error that names a file that cannot be read. */
export function certificatesWith(file: string): string[] {
  let own: string;
  try {
    own = readNow(file);
  } catch (error) {
    throw new Error(`the file of certificates ${file} ${unreadable(error)}`);
  }
  return [...process.getBuiltinModule('node:tls').getCACertificates('default'), own];
}

/** Reads a secret; throws an error that names its source but never its value. */
export type ReadSecret = (secret: Secret) => string;

/** Reads secrets from files and environment variables; `remember` receives each one, so that the log can mask it. */
export function createSecrets(environment: Environment, remember: (secret: string) => void): ReadSecret {
  return (secret) => {
    const source = 'file' in secret ? secret.file : secret.variable;
    const text = ('file' in secret ? secretIn(secret.file) : (environment[secret.variable] ?? '')).trim();
    if (text === '') throw new Error(`${source} ${'file' in secret ? 'is empty' : 'is not set'}`);
    // Other characters cannot be sent in a header.
    if (!/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(text)) {
      throw new Error(`${source} contains invalid characters: line breaks, tabs or non-ASCII characters`);
    }
    remember(text);
    return text;
  };
}

function secretIn(file: string): string {
  try {
    return readNow(file);
  } catch (error) {
    throw new Error(`${file} ${unreadable(error)}`);
  }
}
