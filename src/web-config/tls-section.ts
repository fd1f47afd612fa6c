import path from 'node:path';
import { type Files, unreadable } from '../config/files.ts';
import { suggestion } from '../config/nearest.ts';
import { quoted } from '../config/parse.ts';
import { booleanOf, configErrorAt, entriesOf, itemsOf, textOf, type YamlNode } from '../config/tree.ts';
import { checkAuthorities, checkKeyPair, checkSuites, type Pem } from './certificates.ts';
import { curves, defaultSuites, opensslSuites, suiteNames } from './names.ts';
import {
  type ClientAuth,
  clientAuthTypes,
  type TlsSettings,
  type TlsVersion,
  verifiesClients,
} from './settings.ts';

const keys = [
  'cert_file',
  'key_file',
  'cert',
  'key',
  'client_auth_type',
  'client_ca_file',
  'client_ca',
  'client_allowed_sans',
  'min_version',
  'max_version',
  'cipher_suites',
  'curve_preferences',
  'prefer_server_cipher_suites',
];

type Entries = ReadonlyMap<string, YamlNode>;

interface TlsContext {
  readonly offersHttp2: boolean;
  warn(node: YamlNode, warning: string): void;
}

/** HTTP/2 asks for one of these where TLS 1.2 is spoken. */
const suitesOfHttp2 = ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256'];

/** Reads `tls_server_config`; undefined if it is empty. Rejects with a `ConfigError`. */
export async function readTls(
  node: YamlNode,
  files: Files,
  context: TlsContext,
): Promise<TlsSettings | undefined> {
  const entries = entriesOf(node, keys);
  if ([...entries.values()].every(({ tree }) => tree.kind === 'empty')) return undefined;
  const certificate = await pemOf(entries, 'cert', files);
  const key = await pemOf(entries, 'key', files);
  // Anything else would serve plain HTTP to somebody who asked for TLS.
  if (certificate === undefined) throw configErrorAt(node, 'has no cert_file (or cert)');
  if (key === undefined) throw configErrorAt(node, 'has no key_file (or key)');
  const clientAuth = clientAuthOf(entries);
  const clientCa = await pemOf(entries, 'client_ca', files);
  const suites = namesIn(entries.get('cipher_suites'), suiteNames);
  const settings: TlsSettings = {
    certificate: certificate.text,
    key: key.text,
    expiresAt: checkKeyPair(certificate, key),
    clientAuth,
    clientCa: clientCa?.text,
    allowedNames: allowedNamesOf(entries, clientAuth),
    ...versionsOf(entries),
    ciphers: opensslSuites(suites ?? defaultSuites),
    curves: namesIn(entries.get('curve_preferences'), [...curves.keys()])
      ?.map((name) => curves.get(name))
      .join(':'),
    serverOrder: optional(entries, 'prefer_server_cipher_suites', booleanOf) ?? true,
  };
  checkClients(node, clientAuth, clientCa, context);
  checkHttp2(entries, suites, settings, context);
  checkSuites(settings, certificate);
  return settings;
}

/** Reads a PEM text from the file itself, or from another one that is named relative to its folder. */
async function pemOf(entries: Entries, name: string, files: Files): Promise<Pem | undefined> {
  const [inline, node] = [given(entries, name), given(entries, `${name}_file`)];
  if (inline !== undefined && node !== undefined) {
    throw configErrorAt(node, `excludes ${name}, which is given too`);
  }
  if (inline !== undefined) return { node: inline, text: textOf(inline) };
  if (node === undefined) return undefined;
  const file = path.resolve(path.dirname(node.file), textOf(node));
  try {
    return { node, text: await files.read(file) };
  } catch (error) {
    throw configErrorAt(node, `${file} ${unreadable(error)}`);
  }
}

function clientAuthOf(entries: Entries): ClientAuth {
  const node = given(entries, 'client_auth_type');
  if (node === undefined) return 'NoClientCert';
  // A legacy name.
  const text = textOf(node) === 'RequireClientCert' ? 'RequireAnyClientCert' : textOf(node);
  return oneOf(node, text, clientAuthTypes);
}

/** Other exporters offer HTTP/2 and reject such a list; a file that is shared with them would fail there. */
function checkHttp2(
  entries: Entries,
  suites: readonly string[] | undefined,
  { minVersion }: TlsSettings,
  { offersHttp2 }: TlsContext,
): void {
  const node = entries.get('cipher_suites');
  if (node === undefined || suites === undefined || !offersHttp2 || minVersion === 'TLSv1.3') return;
  if (suitesOfHttp2.some((suite) => suites.includes(suite))) return;
  throw configErrorAt(
    node,
    `has no suite that HTTP/2 requires (${suitesOfHttp2.join(' or ')})`,
    'add one of them, or http_server_config: {http2: false}',
  );
}

function checkClients(
  node: YamlNode,
  clientAuth: ClientAuth,
  clientCa: Pem | undefined,
  { warn }: TlsContext,
): void {
  if (clientCa !== undefined) {
    if (clientAuth === 'NoClientCert') {
      throw configErrorAt(
        clientCa.node,
        'asks for client certificates, but client_auth_type does not',
        'add client_auth_type: RequireAndVerifyClientCert',
      );
    }
    checkAuthorities(clientCa);
  } else if (verifiesClients(clientAuth)) {
    warn(node, `has client_auth_type ${clientAuth} without client_ca_file: any public authority counts`);
  }
}

function allowedNamesOf(entries: Entries, clientAuth: ClientAuth): readonly string[] | undefined {
  const node = given(entries, 'client_allowed_sans');
  if (node === undefined) return undefined;
  if (!clientAuth.startsWith('Require')) {
    throw configErrorAt(
      node,
      'only means something where every client must show a certificate',
      'add client_auth_type: RequireAndVerifyClientCert',
    );
  }
  const names = itemsOf(node).map(textOf);
  if (names.length === 0) throw configErrorAt(node, 'names nobody, so that nobody could connect');
  return names;
}

function versionsOf(entries: Entries): { minVersion: TlsVersion; maxVersion: TlsVersion } {
  const minVersion = optional(entries, 'min_version', versionOf) ?? 'TLSv1.2';
  const maxVersion = optional(entries, 'max_version', versionOf) ?? 'TLSv1.3';
  const node = entries.get('min_version');
  if (node !== undefined && minVersion > maxVersion) throw configErrorAt(node, 'is later than max_version');
  return { minVersion, maxVersion };
}

function versionOf(node: YamlNode): TlsVersion {
  const text = textOf(node);
  if (text === 'TLS10' || text === 'TLS11') {
    throw configErrorAt(node, `${text} is obsolete and not offered`, 'TLS12 and TLS13 are');
  }
  return oneOf(node, text, ['TLS12', 'TLS13'] as const) === 'TLS12' ? 'TLSv1.2' : 'TLSv1.3';
}

/** The names of a list, each one of the known ones; undefined where there are none. */
function namesIn(node: YamlNode | undefined, known: readonly string[]): readonly string[] | undefined {
  const names = node === undefined ? [] : itemsOf(node).map((item) => oneOf(item, textOf(item), known));
  return names.length === 0 ? undefined : names;
}

function oneOf<Name extends string>(node: YamlNode, text: string, known: readonly Name[]): Name {
  const found = known.find((name) => name === text);
  if (found !== undefined) return found;
  throw configErrorAt(
    node,
    `${quoted(text)} is not known`,
    suggestion(text, known) ?? `one of ${known.join(', ')}`,
  );
}

function given(entries: Entries, name: string): YamlNode | undefined {
  const node = entries.get(name);
  return node?.tree.kind === 'empty' ? undefined : node;
}

function optional<Value>(entries: Entries, name: string, read: (node: YamlNode) => Value): Value | undefined {
  const node = given(entries, name);
  return node === undefined ? undefined : read(node);
}
