import path from 'node:path';
import { entriesOf, itemsOf, mistake, type Place } from '../../config/tree.ts';
import { expandHome } from '../places.ts';
import { readChannel } from './read-channel.ts';
import { readQuietHours } from './read-quiet-hours.ts';
import { readRule } from './read-rule.ts';
import { durationAt, emptyIfAbsent, fileAt, pathsOf, secretAt, sizeAt, webAddressAt } from './read-values.ts';
import { type Channel, defaultSettings, type ForwardSettings, type HookSettings } from './settings.ts';

const keys = ['deadline', 'forward', 'channels', 'quiet_hours', 'rules'] as const;
const forwardKeys = ['url', 'token_file', 'token_env', 'ca_file', 'timeout', 'spool'] as const;
const spoolKeys = ['max_size', 'max_age'] as const;
const lengths = ['session_length', 'turn_length'];

/** Reads the file of settings; throws a `ConfigError` that names file, line and key. */
export function readSettings(root: Place, home: string): HookSettings {
  const paths = pathsOf(path.dirname(root.file), (text) => expandHome(text, home));
  const entries = entriesOf(root, keys);
  const deadline = entries.get('deadline');
  const forward = entries.get('forward');
  const channels = readChannels(entries.get('channels'), paths);
  const quiet = entries.get('quiet_hours');
  // Also where no rule is there yet to be silent.
  if (quiet !== undefined) readQuietHours(quiet);
  const common = { quiet, channels: Object.keys(channels), home };
  const rules = emptyIfAbsent(entries.get('rules'), itemsOf).map((place) => readRule(place, common));
  return {
    // From what a start takes to what an agent waits for.
    deadlineMs: durationAt(deadline, { least: 100, most: 30_000, standard: defaultSettings.deadlineMs }),
    ...(forward === undefined ? {} : { forward: readForward(forward, paths) }),
    channels,
    rules,
    needsLengths: rules.some(
      ({ minSessionMs, minTurnMs, title, message }) =>
        minSessionMs > 0 ||
        minTurnMs > 0 ||
        lengths.some((name) => `${title}${message}`.includes(`{${name}}`)),
    ),
  };
}

function readForward(place: Place, paths: (text: string) => string): ForwardSettings {
  const entries = entriesOf(place, forwardKeys);
  const token = secretAt(place, entries, 'token', paths);
  const caFile = fileAt(entries.get('ca_file'), paths);
  const spoolPlace = entries.get('spool');
  const spool = spoolPlace === undefined ? undefined : entriesOf(spoolPlace, spoolKeys);
  return {
    url: intakeOf(webAddressAt(place, entries.get('url'))),
    token,
    ...(caFile === undefined ? {} : { caFile }),
    timeoutMs: durationAt(entries.get('timeout'), { least: 10, most: 30_000, standard: 1000 }),
    spool: {
      maxBytes: sizeAt(spool?.get('max_size'), { least: 4096, most: 1_073_741_824, standard: 10_485_760 }),
      // The exporter tells events that it has counted from new ones for a week.
      maxAgeMs: durationAt(spool?.get('max_age'), {
        least: 1000,
        most: 604_800_000,
        standard: 604_800_000,
      }),
    },
  };
}

function intakeOf(url: string): string {
  return url.endsWith('/hooks/events') ? url : `${url}/hooks/events`;
}

function readChannels(
  place: Place | undefined,
  paths: (text: string) => string,
): Readonly<Record<string, Channel>> {
  if (place === undefined || place.tree.kind === 'empty') return {};
  if (place.tree.kind !== 'mapping') throw mistake(place, 'must be a mapping of names to channels');
  const names = [...place.tree.entries.keys()];
  const channels = [...entriesOf(place, names)].map(([name, channel]) => {
    if (!/^[\w-]{1,64}$/.test(name)) {
      throw mistake(channel, 'a channel has a name of letters, digits, dashes and underscores');
    }
    return [name, readChannel(channel, paths)] as const;
  });
  return Object.fromEntries(channels);
}
