import { ConfigError } from '../runtime/errors.ts';
import { suggestion } from './nearest.ts';

/** The parsed content of a YAML node; scalars keep their source text. */
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

/** A node of a configuration file with its file, line and path, for messages. */
export interface YamlNode {
  readonly file: string;
  /** Dotted, with indexes: `orgs[1].name`; empty for the whole file. */
  readonly path: string;
  readonly line: number;
  readonly tree: Tree;
}

/** An error at a node: `config.yml:3: api.timeout: <problem>`. */
export function configErrorAt(node: YamlNode, problem: string, hint?: string): ConfigError {
  return new ConfigError(`${originOf(node)}: ${problem}`, hint);
}

/** File, line and path of a node, as written in messages. */
export function originOf(node: YamlNode): string {
  return `${node.file}:${node.line}${node.path === '' ? '' : `: ${node.path}`}`;
}

/** The entries of a mapping by key; none if the node is empty. Throws for unknown keys. */
export function entriesOf(node: YamlNode, known: readonly string[]): ReadonlyMap<string, YamlNode> {
  const found = new Map<string, YamlNode>();
  if (node.tree.kind === 'empty') return found;
  if (node.tree.kind !== 'mapping') throw configErrorAt(node, `must be a mapping with ${known.join(', ')}`);
  for (const [key, { line, tree }] of node.tree.entries) {
    const child = { file: node.file, path: node.path === '' ? key : `${node.path}.${key}`, line, tree };
    if (!known.includes(key)) throw unknownKey(node, child, key, known);
    found.set(key, child);
  }
  return found;
}

/** An error for an unknown key of a mapping, with the key that was probably meant. */
export function unknownKey(
  parent: YamlNode,
  child: YamlNode,
  key: string,
  known: readonly string[],
): ConfigError {
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

/** The items of a list; throws if the node is not a list. */
export function itemsOf(node: YamlNode): readonly YamlNode[] {
  if (node.tree.kind !== 'empty' && node.tree.kind !== 'list') throw configErrorAt(node, 'must be a list');
  return childrenOf(node);
}

/** The items of a list; none if the node is not a list. */
export function childrenOf(node: YamlNode): readonly YamlNode[] {
  if (node.tree.kind !== 'list') return [];
  return node.tree.items.map((tree, index) => ({
    file: node.file,
    path: `${node.path}[${index}]`,
    line: tree.line,
    tree,
  }));
}

/** The text of a text node. */
export function textOf(node: YamlNode): string {
  if (node.tree.kind === 'text' && node.tree.text.trim() !== '') return node.tree.text;
  if (node.tree.kind === 'number' || node.tree.kind === 'boolean') {
    throw configErrorAt(node, 'must be a text: put it in quotes');
  }
  throw configErrorAt(node, node.tree.kind === 'text' ? 'is empty' : 'must be a text');
}

/** The truth value of a boolean node. */
export function booleanOf(node: YamlNode): boolean {
  if (node.tree.kind !== 'boolean') throw configErrorAt(node, 'must be true or false');
  return node.tree.text.toLowerCase() === 'true';
}

/** A whole number from `least` to `most`. */
export function wholeNumberOf(node: YamlNode, least: number, most: number): number {
  const value = node.tree.kind === 'number' ? Number(node.tree.text) : Number.NaN;
  if (!Number.isInteger(value) || value < least || value > most) {
    throw configErrorAt(node, `must be a whole number from ${least} to ${most}`);
  }
  return value;
}
