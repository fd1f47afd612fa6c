import path from 'node:path';
import { formatDuration, parseDuration, parseSize, parseUrl, quoted } from '../../config/parse.ts';
import { itemsOf, mistake, type Place, textOf } from '../../config/tree.ts';
import type { Secret } from './settings.ts';

/** Makes a path absolute. */
export type Paths = (text: string) => string;

type Entries = ReadonlyMap<string, Place>;

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly standard: number;
}

/** Paths that begin at the home folder, or at the folder of the settings file. */
export function pathsOf(folder: string, expand: (text: string) => string): Paths {
  return (text) => path.resolve(folder, expand(text));
}

export function emptyIfAbsent<Item>(
  place: Place | undefined,
  read: (place: Place) => readonly Item[],
): readonly Item[] {
  return place === undefined ? [] : read(place);
}

/** The texts of a place that holds a list of them, or a single one. */
export function textsOf(place: Place): readonly string[] {
  return place.tree.kind === 'list' ? itemsOf(place).map(textOf) : [textOf(place)];
}

/** A value that a mapping must have. */
export function required(parent: Place, entries: Entries, key: string): Place {
  const found = entries.get(key);
  if (found === undefined) throw mistake(parent, `${key} is missing`);
  return found;
}

/** A duration, in milliseconds. */
export function durationAt(place: Place | undefined, { least, most, standard }: Bounds): number {
  if (place === undefined) return standard;
  const text = scalarOf(place);
  const ms = parseDuration(text);
  if (ms === undefined) {
    throw mistake(place, `${quoted(text)} is not a duration, such as 2500ms, 30s, 1h30m or 7d`);
  }
  if (ms < least || ms > most) {
    throw mistake(place, `must be from ${formatDuration(least)} to ${formatDuration(most)}`);
  }
  return ms;
}

/** A size, in bytes. */
export function sizeAt(place: Place | undefined, { least, most, standard }: Bounds): number {
  if (place === undefined) return standard;
  const text = scalarOf(place);
  const bytes = parseSize(text);
  if (bytes === undefined) throw mistake(place, `${quoted(text)} is not a size, such as 10MiB or 512KiB`);
  if (bytes < least || bytes > most) throw mistake(place, `must be from ${least} to ${most} bytes`);
  return bytes;
}

export function fileAt(place: Place | undefined, paths: Paths): string | undefined {
  return place === undefined ? undefined : paths(textOf(place));
}

/** An http or https address without user name, query and fragment. */
export function webAddressAt(parent: Place, place: Place | undefined): string {
  if (place === undefined) throw mistake(parent, 'url is missing');
  const parsed = parseUrl(textOf(place));
  if ('problem' in parsed) throw mistake(place, parsed.problem);
  return parsed.value;
}

/** The source of a secret: `<name>_file` or `<name>_env`, and exactly one of them. */
export function secretAt(parent: Place, entries: Entries, name: string, paths: Paths): Secret {
  const file = entries.get(`${name}_file`);
  const variable = entries.get(`${name}_env`);
  if (file !== undefined && variable !== undefined) {
    throw mistake(variable, `${name}_file is given too: one of them must go`);
  }
  if (file !== undefined) return { file: paths(textOf(file)) };
  if (variable === undefined) {
    throw mistake(
      parent,
      `${name}_file or ${name}_env is missing`,
      'a secret never stands in the file itself',
    );
  }
  const text = textOf(variable);
  if (!/^[A-Za-z_]\w*$/.test(text)) throw mistake(variable, 'is not the name of an environment variable');
  return { variable: text };
}

function scalarOf(place: Place): string {
  const { tree } = place;
  if (tree.kind === 'mapping' || tree.kind === 'list') throw mistake(place, 'must be a single value');
  if (tree.kind === 'empty') throw mistake(place, 'is empty');
  return tree.text;
}
