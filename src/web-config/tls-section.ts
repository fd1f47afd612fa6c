import path from 'node:path';
import { type Files, unreadable } from '../config/files.ts';
import { suggestion } from '../config/nearest.ts';
import { quoted } from '../config/parse.ts';
import { booleanOf, entriesOf, itemsOf, mistake, type Place, textOf } from '../config/tree.ts';
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

type Entries = ReadonlyMap<string, Place>;

interface TlsContext {
  readonly offersHttp2: boolean;
  warn(place: Place, warning: string): void;
}

/** HTTP/2 asks for one of these where TLS 1.2 is spoken. */
const suitesOfHttp2 = ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256'];

/** Reads `tls_server_config`; undefined where it says nothing. Rejects with a `ConfigError`. */
export async function readTls(
  place: Place,
  files: Files,
  context: TlsContext,
): Promise<TlsSettings | undefined> {
  const entries = entriesOf(place, keys);
  if ([...entries.values()].every(({ tree }) => tree.kind === 'empty')) return undefined;
  const certificate = await pemOf(entries, 'cert', files);
  const key = await pemOf(entries, 'key', files);
  // Anything else would serve plain HTTP to somebody who asked for TLS.
  if (certificate === undefined) throw mistake(place, 'has no cert_file (or cert)');
  if (key === undefined) throw mistake(place, 'has no key_file (or key)');
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
  checkClients(place, clientAuth, clientCa, context);
  checkHttp2(entries, suites, settings, context);
  checkSuites(settings, certificate);
  return settings;
}

/** A PEM text that stands in the file itself, or in another that it names relative to its own folder. */
async function pemOf(entries: Entries, name: string, files: Files): Promise<Pem | undefined> {
  const [inline, place] = [given(entries, name), given(entries, `${name}_file`)];
  if (inline !== undefined && place !== undefined) {
    throw mistake(place, `excludes ${name}, which is given too`);
  }
  if (inline !== undefined) return { place: inline, text: textOf(inline) };
  if (place === undefined) return undefined;
  const file = path.resolve(path.dirname(place.file), textOf(place));
  try {
    return { place, text: await files.read(file) };
  } catch (error) {
    throw mistake(place, `${file} ${unreadable(error)}`);
  }
}

function clientAuthOf(entries: Entries): ClientAuth {
  const place = given(entries, 'client_auth_type');
  if (place === undefined) return 'NoClientCert';
  // An older name of the same.
  const text = textOf(place) === 'RequireClientCert' ? 'RequireAnyClientCert' : textOf(place);
  return oneOf(place, text, clientAuthTypes);
}

/** Other exporters offer HTTP/2 and refuse such a list; a file that is shared with them would fail there. */
function checkHttp2(
  entries: Entries,
  suites: readonly string[] | undefined,
  { minVersion }: TlsSettings,
  { offersHttp2 }: TlsContext,
): void {
  const place = entries.get('cipher_suites');
  if (place === undefined || suites === undefined || !offersHttp2 || minVersion === 'TLSv1.3') return;
  if (suitesOfHttp2.some((suite) => suites.includes(suite))) return;
  throw mistake(
    place,
    `has no suite that HTTP/2 requires (${suitesOfHttp2.join(' or ')})`,
    'add one of them, or http_server_config: {http2: false}',
  );
}

function checkClients(
  place: Place,
  clientAuth: ClientAuth,
  clientCa: Pem | undefined,
  { warn }: TlsContext,
): void {
  if (clientCa !== undefined) {
    if (clientAuth === 'NoClientCert') {
      throw mistake(
        clientCa.place,
        'asks for client certificates, but client_auth_type does not',
        'add client_auth_type: RequireAndVerifyClientCert',
      );
    }
    checkAuthorities(clientCa);
  } else if (verifiesClients(clientAuth)) {
    warn(place, `has client_auth_type ${clientAuth} without client_ca_file: any public authority counts`);
  }
}

function allowedNamesOf(entries: Entries, clientAuth: ClientAuth): readonly string[] | undefined {
  const place = given(entries, 'client_allowed_sans');
  if (place === undefined) return undefined;
  if (!clientAuth.startsWith('Require')) {
    throw mistake(
      place,
      'only means something where every client must show a certificate',
      'add client_auth_type: RequireAndVerifyClientCert',
    );
  }
  const names = itemsOf(place).map(textOf);
  if (names.length === 0) throw mistake(place, 'names nobody, so that nobody could connect');
  return names;
}

function versionsOf(entries: Entries): { minVersion: TlsVersion; maxVersion: TlsVersion } {
  const minVersion = optional(entries, 'min_version', versionOf) ?? 'TLSv1.2';
  const maxVersion = optional(entries, 'max_version', versionOf) ?? 'TLSv1.3';
  const place = entries.get('min_version');
  if (place !== undefined && minVersion > maxVersion) throw mistake(place, 'is later than max_version');
  return { minVersion, maxVersion };
}

function versionOf(place: Place): TlsVersion {
  const text = textOf(place);
  if (text === 'TLS10' || text === 'TLS11') {
    throw mistake(place, `${text} is obsolete and not offered`, 'TLS12 and TLS13 are');
  }
  return oneOf(place, text, ['TLS12', 'TLS13'] as const) === 'TLS12' ? 'TLSv1.2' : 'TLSv1.3';
}

/** The names of a list, each one of the known ones; undefined where there are none. */
function namesIn(place: Place | undefined, known: readonly string[]): readonly string[] | undefined {
  const names = place === undefined ? [] : itemsOf(place).map((item) => oneOf(item, textOf(item), known));
  return names.length === 0 ? undefined : names;
}

function oneOf<Name extends string>(place: Place, text: string, known: readonly Name[]): Name {
  const found = known.find((name) => name === text);
  if (found !== undefined) return found;
  throw mistake(
    place,
    `${quoted(text)} is not known`,
    suggestion(text, known) ?? `one of ${known.join(', ')}`,
  );
}

function given(entries: Entries, name: string): Place | undefined {
  const place = entries.get(name);
  return place?.tree.kind === 'empty' ? undefined : place;
}

function optional<Value>(entries: Entries, name: string, read: (place: Place) => Value): Value | undefined {
  const place = given(entries, name);
  return place === undefined ? undefined : read(place);
}
