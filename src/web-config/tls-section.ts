import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import path from 'node:path';
import { createSecureContext } from 'node:tls';
import { readNamed } from '../config/followed.ts';
import { configErrorAt, nearestNode, originOf, type YamlNode } from '../config/validate.ts';
import type { Files } from '../files/reader.ts';
import { attempt, messageOf } from '../text/errors.ts';
import { policies, type TlsSection, type TlsSettings } from './schema.ts';
import { contextOptions } from './tls-server.ts';

/**
 * Reads the certificates that a valid `tls_server_config` names and checks what they hold. Rejects with a `ConfigError` that
 * names the key at or below `section`.
 */
export async function readTls(
  { pem: given, settings: chosen }: TlsSection,
  section: YamlNode,
  files: Files,
): Promise<TlsSettings> {
  /** A text given inline or in a file, whose path is relative to the directory of the configuration file. */
  async function pem(name: 'cert' | 'key' | 'client_ca'): Promise<Pem | undefined> {
    const { [name]: text, [`${name}_file` as const]: fileName } = given;
    if (text != null) return { node: nearestNode(section, [name]), text };
    if (fileName == null) return undefined;
    const node = nearestNode(section, [`${name}_file`]);
    const file = path.resolve(path.dirname(node.file), fileName);
    return { node, text: await readNamed(files, file, `${originOf(node)}: ${file}`) };
  }
  const certificate = await pem('cert');
  const key = await pem('key');
  // Otherwise plain HTTP would be served although TLS was requested.
  if (certificate === undefined) throw configErrorAt(section, 'has no cert_file (or cert)');
  if (key === undefined) throw configErrorAt(section, 'has no key_file (or key)');
  const clientCa = await pem('client_ca');
  const settings: TlsSettings = {
    ...chosen,
    certificate: certificate.text,
    key: key.text,
    expiresAt: checkKeyPair(certificate, key),
    clientCa: clientCa?.text,
  };
  if (clientCa !== undefined) {
    if (!policies[settings.clientAuth].asks) {
      throw configErrorAt(
        clientCa.node,
        'is given, but client_auth_type does not request client certificates',
        'add client_auth_type: RequireAndVerifyClientCert',
      );
    }
    checkAuthorities(clientCa);
  }
  checkSuites(settings, certificate);
  return settings;
}

/** A PEM text and the configuration key of its source. */
interface Pem {
  readonly node: YamlNode;
  readonly text: string;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Checks that a key matches a certificate; returns the end of its validity, in milliseconds since the epoch. */
function checkKeyPair(certificate: Pem, key: Pem): number {
  const [own] = certificatesIn(certificate);
  if (own === undefined) throw configErrorAt(certificate.node, 'contains no certificate in PEM format');
  if (!own.checkPrivateKey(privateKeyIn(key))) {
    throw configErrorAt(key.node, 'does not match the certificate');
  }
  return own.validToDate.getTime();
}

/** Checks that a bundle contains CAs, one of them at the end of a chain. */
function checkAuthorities(bundle: Pem): void {
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
function checkSuites(settings: TlsSettings, certificate: Pem): void {
  try {
    createSecureContext(contextOptions(settings));
  } catch (error) {
    throw configErrorAt(certificate.node, `cannot be served: ${messageOf(error).slice(0, 200)}`);
  }
}

function certificatesIn({ node, text }: Pem): readonly X509Certificate[] {
  return (text.match(CERTIFICATE) ?? []).map((pem) => {
    const certificate = attempt(() => new X509Certificate(pem));
    if (certificate !== undefined) return certificate;
    throw configErrorAt(node, 'contains a certificate that cannot be parsed');
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
  const key = attempt(() => createPrivateKey(text));
  if (key !== undefined) return key;
  throw configErrorAt(node, 'contains a private key that cannot be parsed');
}
