import { constants, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext, getCACertificates, type SecureContextOptions } from 'node:tls';
import { configErrorAt, type YamlNode } from '../config/yaml-node.ts';
import { messageOf } from '../runtime/errors.ts';
import { policies } from './names.ts';
import type { TlsSettings } from './settings.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Checks that a key matches a certificate; returns the end of its validity, in milliseconds since the epoch. */
export function checkKeyPair(certificate: Pem, key: Pem): number {
  const [own] = certificatesIn(certificate);
  if (own === undefined) throw configErrorAt(certificate.node, 'contains no certificate in PEM format');
  if (!own.checkPrivateKey(privateKeyIn(key))) {
    throw configErrorAt(key.node, 'does not match the certificate');
  }
  return own.validToDate.getTime();
}

/** Checks that a bundle contains CAs, one of them at the end of a chain. */
export function checkAuthorities(bundle: Pem): void {
  const authorities = certificatesIn(bundle);
  if (authorities.length === 0) throw configErrorAt(bundle.node, 'contains no certificate in PEM format');
  // OpenSSL follows a chain to its end, so an intermediate CA by itself would admit nobody.
  if (!authorities.some((authority) => authority.verify(authority.publicKey))) {
    throw configErrorAt(
      bundle.node,
      'contains intermediate CAs only',
      'add the self-signed root certificate of their chain',
    );
  }
}

/** Checks that OpenSSL can use these settings; it rejects, for example, keys that are too short. */
export function checkSuites(settings: TlsSettings, certificate: Pem): void {
  try {
    createSecureContext(contextOptions(settings));
  } catch (error) {
    throw configErrorAt(certificate.node, `cannot be served: ${messageOf(error).slice(0, 200)}`);
  }
}

function certificatesIn({ node, text }: Pem): readonly X509Certificate[] {
  return (text.match(CERTIFICATE) ?? []).map((pem) => {
    try {
      return new X509Certificate(pem);
    } catch {
      throw configErrorAt(node, 'contains a certificate that cannot be parsed');
    }
  });
}

function privateKeyIn({ node, text }: Pem): KeyObject {
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    throw configErrorAt(node, 'contains no private key in PEM format');
  }
  if (/-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(text)) {
    throw configErrorAt(
      node,
      'contains a key with a passphrase',
      'store it without one; the file’s permissions protect it',
    );
  }
  try {
    return createPrivateKey(text);
  } catch {
    throw configErrorAt(node, 'contains a private key that cannot be parsed');
  }
}

/** A PEM text and the configuration key of its source. */
export interface Pem {
  readonly node: YamlNode;
  readonly text: string;
}

/** TLS settings as Node.js options. */
export function contextOptions(tls: TlsSettings): SecureContextOptions {
  return {
    cert: tls.certificate,
    key: tls.key,
    ...authoritiesOf(tls),
    minVersion: tls.minVersion,
    maxVersion: tls.maxVersion,
    ciphers: tls.ciphers,
    ...(tls.curves === undefined ? {} : { ecdhCurve: tls.curves }),
    honorCipherOrder: tls.serverOrder,
    // A resumed session would keep a client certificate that was checked under earlier settings.
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}

function authoritiesOf({ clientAuth, clientCa }: TlsSettings): Pick<SecureContextOptions, 'ca'> {
  if (clientCa !== undefined) return { ca: clientCa };
  if (!policies[clientAuth].verifies) return {};
  // Some systems list certificates twice, and clients abort a handshake that names too many.
  const ofSystem = [...new Set(getCACertificates('system'))];
  // Without system certificates, the ones bundled with Node are used.
  return ofSystem.length === 0 ? {} : { ca: ofSystem };
}
