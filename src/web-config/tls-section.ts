import path from 'node:path';
import type { Files } from '../config/files.ts';
import { readNamed } from '../config/followed.ts';
import { configErrorAt, originOf, type YamlNode } from '../config/yaml-node.ts';
import { checkAuthorities, checkKeyPair, checkSuites, type Pem } from './certificates.ts';
import { policies } from './names.ts';
import type { TlsSection } from './schema.ts';
import type { TlsSettings } from './settings.ts';

/**
 * Reads the certificates that a valid `tls_server_config` names and checks what they hold; `nodeOf` gives where the
 * section is, or one of its keys.
 * Rejects with a `ConfigError`.
 */
export async function readTls(
  { pem: given, settings: chosen }: TlsSection,
  nodeOf: (key?: string) => YamlNode,
  files: Files,
): Promise<TlsSettings> {
  const pem = (name: PemName) => pemOf(given[name], given[`${name}_file`], nodeOf, name, files);
  const certificate = await pem('cert');
  const key = await pem('key');
  // Otherwise plain HTTP would be served although TLS was requested.
  if (certificate === undefined) throw configErrorAt(nodeOf(), 'has no cert_file (or cert)');
  if (key === undefined) throw configErrorAt(nodeOf(), 'has no key_file (or key)');
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

/** A valid but probably unintended choice, in words that follow the section's name. */
export function tlsWarning({ clientAuth, clientCa }: TlsSettings): string | undefined {
  if (clientCa !== undefined || !policies[clientAuth].verifies) return undefined;
  return `has client_auth_type ${clientAuth} without client_ca_file: certificates of any public CA are accepted`;
}

type PemName = 'cert' | 'key' | 'client_ca';

/** A PEM text given inline or in a file, whose path is relative to the directory of the configuration file. */
async function pemOf(
  inline: string | null | undefined,
  fileName: string | null | undefined,
  nodeOf: (key: string) => YamlNode,
  name: PemName,
  files: Files,
): Promise<Pem | undefined> {
  if (inline != null) return { node: nodeOf(name), text: inline };
  if (fileName == null) return undefined;
  const node = nodeOf(`${name}_file`);
  const file = path.resolve(path.dirname(node.file), fileName);
  return { node, text: await readNamed(files, file, `${originOf(node)}: ${file}`) };
}
