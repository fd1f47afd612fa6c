import { entriesOf, mistake, type Place, textOf, wholeNumberOf } from '../../config/tree.ts';
import { fileAt, type Paths, required, secretAt, textsOf, webAddressAt } from './read-values.ts';
import type { Channel, EmailChannel } from './settings.ts';

/** The keys of each kind of channel. */
export const channelKeys: Readonly<Record<Channel['type'], readonly string[]>> = {
  desktop: ['type'],
  sound: ['type', 'file'],
  slack: ['type', 'url_file', 'url_env'],
  teams: ['type', 'url_file', 'url_env'],
  discord: ['type', 'url_file', 'url_env'],
  email: [
    'type',
    'host',
    'port',
    'security',
    'from',
    'to',
    'username',
    'password_file',
    'password_env',
    'ca_file',
  ],
  webhook: ['type', 'url', 'url_file', 'url_env', 'secret_file', 'secret_env', 'ca_file'],
};

const ports = { tls: 465, starttls: 587, none: 25 } as const;
const address = /^(?:[^<>\r\n]{0,200}<)?[^\s<>@,;]{1,64}@[^\s<>@,;]{1,253}>?$/;

/** Reads one channel. */
export function readChannel(place: Place, paths: Paths): Channel {
  const type = typeOf(place);
  const entries = entriesOf(place, channelKeys[type]);
  const caFile = fileAt(entries.get('ca_file'), paths);
  const ca = caFile === undefined ? {} : { caFile };
  switch (type) {
    case 'desktop':
      return { type };
    case 'sound': {
      const file = fileAt(entries.get('file'), paths);
      return file === undefined ? { type } : { type, file };
    }
    case 'email':
      return { ...readEmail(place, entries, paths), ...ca };
    case 'webhook': {
      const plain = entries.get('url');
      const url = plain === undefined ? secretAt(place, entries, 'url', paths) : webAddressAt(place, plain);
      return { type, url, secret: secretAt(place, entries, 'secret', paths), ...ca };
    }
    default:
      return { type, url: secretAt(place, entries, 'url', paths) };
  }
}

function typeOf(place: Place): Channel['type'] {
  const types = Object.keys(channelKeys);
  if (place.tree.kind !== 'mapping')
    throw mistake(place, `must be a mapping with a type: ${types.join(', ')}`);
  const entry = place.tree.entries.get('type');
  if (entry === undefined) throw mistake(place, 'type is missing', `one of ${types.join(', ')}`);
  const typePlace = { ...place, path: `${place.path}.type`, line: entry.line, tree: entry.tree };
  const text = textOf(typePlace);
  if (!isType(text)) throw mistake(typePlace, `must be one of ${types.join(', ')}`);
  return text;
}

function isType(text: string): text is Channel['type'] {
  return Object.hasOwn(channelKeys, text);
}

function readEmail(place: Place, entries: ReadonlyMap<string, Place>, paths: Paths): EmailChannel {
  const security = securityOf(entries.get('security'));
  const port = entries.get('port');
  const username = entries.get('username');
  if (username !== undefined && security === 'none') {
    throw mistake(username, 'a password is not sent without encryption', 'set security to tls or starttls');
  }
  if (username === undefined && (entries.has('password_file') || entries.has('password_env'))) {
    throw mistake(place, 'username is missing');
  }
  return {
    type: 'email',
    host: textOf(required(place, entries, 'host')),
    port: port === undefined ? ports[security] : wholeNumberOf(port, 1, 65_535),
    security,
    from: addressesOf(required(place, entries, 'from'))[0] ?? '',
    to: addressesOf(required(place, entries, 'to')),
    ...(username === undefined
      ? {}
      : { login: { username: textOf(username), password: secretAt(place, entries, 'password', paths) } }),
  };
}

function securityOf(place: Place | undefined): EmailChannel['security'] {
  if (place === undefined) return 'starttls';
  const text = textOf(place);
  if (text === 'tls' || text === 'starttls' || text === 'none') return text;
  throw mistake(place, 'must be tls, starttls or none');
}

function addressesOf(place: Place): readonly string[] {
  const texts = textsOf(place);
  if (texts.length === 0 || !texts.every((text) => address.test(text))) {
    throw mistake(place, 'must be an e-mail address, such as "Agents <agents@example.com>"');
  }
  return texts;
}
