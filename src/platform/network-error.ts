/** What went wrong below HTTP, in plain words and without the addresses or secrets of the original error. */
export interface NetworkTrouble {
  readonly timeout: boolean;
  readonly words: string;
  readonly hint?: string;
}

const NAME_HINT = 'Check the host name in the configured URL, and DNS.';
const REACH_HINT = 'Check the configured URL, the network policy and the proxy.';
const CERTIFICATE_HINT =
  'Where a company certificate authority signs the traffic, name its file in NODE_EXTRA_CA_CERTS.';

const WORDS: ReadonlyMap<string, { words: string; hint?: string }> = new Map([
  ['ECONNREFUSED', { words: 'connection refused', hint: REACH_HINT }],
  ['ECONNRESET', { words: 'the other side closed the connection' }],
  ['EPIPE', { words: 'the other side closed the connection' }],
  ['ENOTFOUND', { words: 'host name not found', hint: NAME_HINT }],
  ['EAI_AGAIN', { words: 'host name not found for now', hint: NAME_HINT }],
  ['EHOSTUNREACH', { words: 'host unreachable', hint: REACH_HINT }],
  ['ENETUNREACH', { words: 'network unreachable', hint: REACH_HINT }],
  [
    'EPROTO',
    { words: 'TLS handshake failed', hint: 'Check whether the URL should begin with http or https.' },
  ],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    { words: 'the certificate is for another host name', hint: 'Check the host name in the configured URL.' },
  ],
  ['ERR_PROXY_TUNNEL', { words: 'the proxy did not open a tunnel', hint: 'Check the proxy settings.' }],
]);

/** Describes a thrown transport error by its code alone. */
export function describeNetworkError(thrown: unknown): NetworkTrouble {
  const code = codeOf(thrown);
  if (code === 'ETIMEDOUT' || code === 'ESOCKETTIMEDOUT') {
    return { timeout: true, words: 'no connection in time', hint: REACH_HINT };
  }
  const known = WORDS.get(code);
  if (known !== undefined) return { timeout: false, ...known };
  if (/CERT|SELF_SIGNED|LEAF_SIGNATURE/.test(code)) {
    return { timeout: false, words: `the certificate was not accepted (${code})`, hint: CERTIFICATE_HINT };
  }
  if (code.startsWith('HPE_')) return { timeout: false, words: 'the answer is not HTTP', hint: REACH_HINT };
  return { timeout: false, words: code === '' ? 'connection failed' : `connection failed (${code})` };
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
