import { type FailedAt, messageOf } from '../text/errors.ts';
import { portOf } from './host-name.ts';
import { ProxyError, throughProxy } from './proxy.ts';

/** The words of a caller: that the time was up, and for a failure without a code. */
export interface BriefWords {
  readonly late: string;
  readonly unknown: string;
}

/** What is known about a request that failed. */
interface Circumstances {
  /** `late`: its time was up; `aborted`: nothing waited for it any longer. */
  readonly end: 'late' | 'aborted' | 'failed';
  readonly url: URL;
  readonly proxy: string | undefined;
  readonly words: BriefWords;
}

/**
 * A request without an answer; `message` is what the proxy said, or the code and the proxy. Nothing of it holds a header or the
 * original error, which may contain a secret.
 */
export class HttpError extends Error {
  readonly end: Circumstances['end'];
  /** The system's code, `ETIMEDOUT` if its time was up, or `unknown`. */
  readonly code: string;
  /** In plain words, for operators, with host and port. */
  readonly trouble: NetworkTrouble;
  /** The message of the original error, which may contain an address. */
  readonly original: string;

  constructor(thrown: unknown, { end, url, proxy, words }: Circumstances) {
    const isLate = end === 'late';
    const code = codeOf(thrown);
    const through = throughProxy(proxy);
    const brief = `${isLate ? words.late : code || words.unknown}${through}`;
    super(isLate ? brief : (proxyErrorIn(thrown)?.message ?? brief));
    this.name = 'HttpError';
    this.end = end;
    this.code = isLate ? 'ETIMEDOUT' : code || 'unknown';
    this.original = messageOf(thrown);
    const where = ` (${url.hostname}:${portOf(url)}${through})`;
    const failedAt = proxy === undefined ? 'connection' : 'proxy';
    const late = { timeout: true, words: `no answer within the timeout${where}` };
    this.trouble = { failedAt, ...(isLate ? late : describeNetworkError(thrown, where)) };
  }
}

/** A transport error in plain words, without the addresses or secrets of the original error. */
interface NetworkTrouble extends Words {
  readonly timeout: boolean;
}

const NAME_HINT = 'Check the host name in the configured URL, and DNS.';

const REACH_HINT = 'Check the configured URL, the network policy and the proxy.';

const CERTIFICATE_HINT =
  'If a private CA signs the traffic, set NODE_EXTRA_CA_CERTS to the file of its certificate.';

interface Words {
  readonly words: string;
  readonly hint?: string;
  readonly failedAt?: FailedAt;
}

const HANDSHAKE: Words = {
  failedAt: 'tls',
  words: 'TLS handshake failed',
  hint: 'Check whether the URL should begin with http or https.',
};

const WORDS: ReadonlyMap<string, Words> = new Map<string, Words>([
  ['ECONNREFUSED', { words: 'connection refused', hint: REACH_HINT }],
  ['ECONNRESET', { words: 'the peer closed the connection' }],
  ['EPIPE', { words: 'the peer closed the connection' }],
  ['ENOTFOUND', { words: 'host name not found', hint: NAME_HINT, failedAt: 'name' }],
  ['EAI_AGAIN', { words: 'host name temporarily not found', hint: NAME_HINT, failedAt: 'name' }],
  ['EHOSTUNREACH', { words: 'host unreachable', hint: REACH_HINT }],
  ['ENETUNREACH', { words: 'network unreachable', hint: REACH_HINT }],
  ['EPROTO', HANDSHAKE],
  // Of a tunnel that already has an answer which is not TLS.
  ['ERR_SSL_WRONG_VERSION_NUMBER', HANDSHAKE],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    {
      failedAt: 'tls',
      words: 'the certificate is for another host name',
      hint: 'Check the host name in the configured URL.',
    },
  ],
]);

const PROXY_HINT =
  'Check HTTPS_PROXY and NO_PROXY, and that the proxy accepts its credentials and this host.';

/**
 * Describes a thrown transport error by its code alone; `where` is appended to the words, and names the address and a proxy that was
 * used.
 */
export function describeNetworkError(thrown: unknown, where = ''): NetworkTrouble {
  const ofProxy = proxyErrorIn(thrown);
  if (ofProxy !== undefined)
    return {
      timeout: ofProxy.code === 'ETIMEDOUT',
      words: ofProxy.message,
      hint: PROXY_HINT,
      failedAt: 'proxy',
    };
  const { words, ...rest } = describeCode(codeOf(thrown));
  return { words: `${words}${where}`, ...rest };
}

function describeCode(code: string): NetworkTrouble {
  if (code === 'ETIMEDOUT' || code === 'ESOCKETTIMEDOUT') {
    return { timeout: true, words: 'connection timed out', hint: REACH_HINT };
  }
  const known = WORDS.get(code);
  if (known !== undefined) return { timeout: false, ...known };
  if (/CERT|SELF_SIGNED|LEAF_SIGNATURE/.test(code)) {
    const words = `certificate verification failed (${code})`;
    return { timeout: false, words, hint: CERTIFICATE_HINT, failedAt: 'tls' };
  }
  if (code.startsWith('HPE_')) return { timeout: false, words: 'the answer is not HTTP', hint: REACH_HINT };
  return { timeout: false, words: code === '' ? 'connection failed' : `connection failed (${code})` };
}

function proxyErrorIn(thrown: unknown): ProxyError | undefined {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return [thrown, cause].find((error) => error instanceof ProxyError);
}

// An AxiosError wraps the socket's error, and that may wrap one error per address tried.
function codeOf(thrown: unknown): string {
  let best = '';
  let current: unknown = thrown;
  for (let depth = 0; depth < 4 && current instanceof Error; depth += 1) {
    const code: unknown = Reflect.get(current, 'code');
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,50}$/.test(code)) best = code;
    const errors: unknown = Reflect.get(current, 'errors');
    current = current.cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return best;
}
