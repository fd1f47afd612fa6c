import { ConfigError } from '../runtime/errors.ts';
import { suggestion } from './nearest.ts';

/** A node of a configuration file; scalars keep the text that stands there. */
export type Tree =
  | { readonly kind: 'mapping'; readonly line: number; readonly entries: ReadonlyMap<string, Entry> }
  | { readonly kind: 'list'; readonly line: number; readonly items: readonly Tree[] }
  | { readonly kind: 'text' | 'number' | 'boolean'; readonly line: number; readonly text: string }
  | { readonly kind: 'empty'; readonly line: number };

/** A key's value; `line` is the key's. */
export interface Entry {
  readonly line: number;
  readonly tree: Tree;
}

/** A node with its place, for messages. */
export interface Place {
  readonly file: string;
  /** Dotted, with indexes: `orgs[1].name`; empty for the whole file. */
  readonly path: string;
  readonly line: number;
  readonly tree: Tree;
}

/** A mistake at a place: `config.yml:3: api.timeout: <problem>`. */
export function mistake(place: Place, problem: string, hint?: string): ConfigError {
  return new ConfigError(`${originOf(place)}: ${problem}`, hint);
}

/** Where a place is, as messages write it. */
export function originOf(place: Place): string {
  return `${place.file}:${place.line}${place.path === '' ? '' : `: ${place.path}`}`;
}

/** The entries of a mapping by key; nothing where the place is empty. Refuses keys that are not known. */
export function entriesOf(place: Place, known: readonly string[]): ReadonlyMap<string, Place> {
  const found = new Map<string, Place>();
  if (place.tree.kind === 'empty') return found;
  if (place.tree.kind !== 'mapping') throw mistake(place, `must be a mapping with ${known.join(', ')}`);
  for (const [key, { line, tree }] of place.tree.entries) {
    const child = { file: place.file, path: place.path === '' ? key : `${place.path}.${key}`, line, tree };
    if (!known.includes(key)) throw unknownKey(place, child, key, known);
    found.set(key, child);
  }
  return found;
}

/** An error for a key that a mapping does not know, with the key that was probably meant. */
export function unknownKey(parent: Place, child: Place, key: string, known: readonly string[]): ConfigError {
  const at = `${child.file}:${child.line}: unknown key ${child.path.slice(0, 100)}`;
  if (/^(api_?)?(key|token|secret)$/.test(key) && known.includes('api_key_file')) {
    return new ConfigError(at, 'a key never stands in the file itself: use api_key_file or api_key_env');
  }
  const close = suggestion(key, known)?.replace(
    'did you mean ',
    parent.path === '' ? '$&' : `$&${parent.path}.`,
  );
  return new ConfigError(at, close ?? `known here: ${known.join(', ')}`);
}

/** The items of a list, each with its place; throws where the node is not a list. */
export function itemsOf(place: Place): readonly Place[] {
  if (place.tree.kind !== 'empty' && place.tree.kind !== 'list') throw mistake(place, 'must be a list');
  return childrenOf(place);
}

/** The items of a list, each with its place; none where the node is not a list. */
export function childrenOf(place: Place): readonly Place[] {
  if (place.tree.kind !== 'list') return [];
  return place.tree.items.map((tree, index) => ({
    file: place.file,
    path: `${place.path}[${index}]`,
    line: tree.line,
    tree,
  }));
}

/** The text of a text node. */
export function textOf(place: Place): string {
  if (place.tree.kind === 'text' && place.tree.text.trim() !== '') return place.tree.text;
  if (place.tree.kind === 'number' || place.tree.kind === 'boolean') {
    throw mistake(place, 'must be a text: put it in quotes');
  }
  throw mistake(place, place.tree.kind === 'text' ? 'is empty' : 'must be a text');
}

/** The truth value of a boolean node. */
export function booleanOf(place: Place): boolean {
  if (place.tree.kind !== 'boolean') throw mistake(place, 'must be true or false');
  return place.tree.text.toLowerCase() === 'true';
}

/** A whole number from `least` to `most`. */
export function wholeNumberOf(place: Place, least: number, most: number): number {
  const value = place.tree.kind === 'number' ? Number(place.tree.text) : Number.NaN;
  if (!Number.isInteger(value) || value < least || value > most) {
    throw mistake(place, `must be a whole number from ${least} to ${most}`);
  }
  return value;
}
