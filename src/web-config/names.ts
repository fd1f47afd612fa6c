/** OpenSSL's names of the TLS 1.2 suites that Go offers with forward secrecy, by Go's names. */
const suites: ReadonlyMap<string, string> = new Map([
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

/**
 * The suites of TLS 1.3 cannot be configured in this format: they are all offered, whether a list names them or not.
 */
const suitesOfTls13 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** Every suite that a configuration may name. */
export const suiteNames: readonly string[] = [...suitesOfTls13, ...suites.keys()];

/** The default suites: those with authenticated encryption. */
export const defaultSuites: readonly string[] = [...suites.keys()].filter((name) => !name.includes('_CBC_'));

/** A list of suites in OpenSSL's notation; those of TLS 1.3 are always included. */
export function opensslSuites(names: readonly string[]): string {
  return [...suitesOfTls13, ...names.flatMap((name) => suites.get(name) ?? [])].join(':');
}

/** OpenSSL's names of the curves, by Go's. */
export const curves: ReadonlyMap<string, string> = new Map([
  ['X25519', 'X25519'],
  ['CurveP256', 'P-256'],
  ['CurveP384', 'P-384'],
  ['CurveP521', 'P-521'],
]);

/** Headers that a configuration may set, with their allowed values if these are limited. */
export const headers: ReadonlyMap<string, readonly string[]> = new Map([
  ['Content-Security-Policy', []],
  ['X-Frame-Options', ['deny', 'sameorigin']],
  ['X-Content-Type-Options', ['nosniff']],
  ['X-XSS-Protection', []],
  ['Strict-Transport-Security', []],
]);
