/** The suites of TLS 1.3 cannot be configured in this format: they are all offered, whether a list names them or not. */
const suitesOfTls13 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** OpenSSL's names of every suite that a configuration may name: with TLS 1.2, those with forward secrecy; by Go's names. */
export const suites: ReadonlyMap<string, string> = new Map([
  ...suitesOfTls13.map((name) => [name, name] as const),
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE-ECDSA-AES128-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'ECDHE-RSA-AES128-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA', 'ECDHE-ECDSA-AES256-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', 'ECDHE-RSA-AES256-SHA'],
]);

/** A list of OpenSSL's names in its notation, by default the suites with authenticated encryption. */
export function suiteList(chosen: readonly string[]): string {
  const standard = [...suites].filter(([name]) => !name.includes('_CBC_')).map(([, name]) => name);
  return [...new Set([...suitesOfTls13, ...(chosen.length === 0 ? standard : chosen)])].join(':');
}

/** OpenSSL's names of the curves, by Go's. */
export const curves: ReadonlyMap<string, string> = new Map([
  ['X25519', 'X25519'],
  ['CurveP256', 'P-256'],
  ['CurveP384', 'P-384'],
  ['CurveP521', 'P-521'],
]);

/** The versions of TLS in Node.js' notation. */
export const versions = new Map([
  ['TLS12', 'TLSv1.2'],
  ['TLS13', 'TLSv1.3'],
] as const);

/** What each policy for client certificates does, by its name in Go's TLS. */
export const policies = {
  NoClientCert: { asks: false, requires: false, verifies: false },
  RequestClientCert: { asks: true, requires: false, verifies: false },
  RequireAnyClientCert: { asks: true, requires: true, verifies: false },
  VerifyClientCertIfGiven: { asks: true, requires: false, verifies: true },
  RequireAndVerifyClientCert: { asks: true, requires: true, verifies: true },
} as const;

/** Headers that a configuration may set, with their allowed values if these are limited. */
export const headers: ReadonlyMap<string, readonly string[]> = new Map([
  ['Content-Security-Policy', []],
  ['X-Frame-Options', ['deny', 'sameorigin']],
  ['X-Content-Type-Options', ['nosniff']],
  ['X-XSS-Protection', []],
  ['Strict-Transport-Security', []],
]);
