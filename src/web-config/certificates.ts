import { constants, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext, getCACertificates, type SecureContextOptions } from 'node:tls';
import { mistake, type Place } from '../config/tree.ts';
import { messageOf } from '../runtime/errors.ts';
import { type TlsSettings, verifiesClients } from './settings.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Checks that a key belongs to a certificate; gives until when that is valid, in milliseconds since the epoch. */
export function checkKeyPair(certificate: Pem, key: Pem): number {
  const [own] = certificatesIn(certificate);
  if (own === undefined) throw mistake(certificate.place, 'holds no certificate in PEM form');
  if (!own.checkPrivateKey(privateKeyIn(key))) {
    throw mistake(key.place, 'is not the key of the certificate that is given with it');
  }
  return own.validToDate.getTime();
}

/** Checks that a bundle holds authorities, one of them at the end of a chain. */
export function checkAuthorities(bundle: Pem): void {
  const authorities = certificatesIn(bundle);
  if (authorities.length === 0) throw mistake(bundle.place, 'holds no certificate in PEM form');
  // OpenSSL follows a chain to its end, and an intermediate authority by itself would let nobody in.
  if (!authorities.some((authority) => authority.verify(authority.publicKey))) {
    throw mistake(
      bundle.place,
      'holds intermediate authorities only',
      'add the self-signed certificate in which their chain ends',
    );
  }
}

/** Checks that OpenSSL can serve these settings; it refuses, for example, keys that are too short. */
export function checkSuites(settings: TlsSettings, certificate: Pem): void {
  try {
    createSecureContext(contextOptions(settings));
  } catch (error) {
    throw mistake(certificate.place, `cannot be served: ${messageOf(error).slice(0, 200)}`);
  }
}

function certificatesIn({ place, text }: Pem): readonly X509Certificate[] {
  return (text.match(CERTIFICATE) ?? []).map((pem) => {
    try {
      return new X509Certificate(pem);
    } catch {
      throw mistake(place, 'holds a certificate that cannot be read');
    }
  });
}

function privateKeyIn({ place, text }: Pem): KeyObject {
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    throw mistake(place, 'holds no private key in PEM form');
  }
  if (/-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(text)) {
    throw mistake(
      place,
      'holds a key with a passphrase',
      'store it without one; the file’s permissions protect it',
    );
  }
  try {
    return createPrivateKey(text);
  } catch {
    throw mistake(place, 'holds a private key that cannot be read');
  }
}

/** A PEM text and the key that gives it. */
export interface Pem {
  readonly place: Place;
  readonly text: string;
}

/** TLS settings in Node's words. */
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
    // A resumed session would bring along a client certificate that was judged by settings of the past.
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}

function authoritiesOf({ clientAuth, clientCa }: TlsSettings): Pick<SecureContextOptions, 'ca'> {
  if (clientCa !== undefined) return { ca: clientCa };
  if (!verifiesClients(clientAuth)) return {};
  // Systems list them twice, and clients refuse a handshake that names too many.
  const ofSystem = [...new Set(getCACertificates('system'))];
  // Where the system has none, those that come with Node count.
  return ofSystem.length === 0 ? {} : { ca: ofSystem };
}
