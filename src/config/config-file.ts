import { ConfigError } from '../runtime/errors.ts';
import { type Environment, optionsInEnvironment } from './environment.ts';
import { type Files, unreadable } from './files.ts';
import { fileKeyOf, type Option, type OptionTable, type RawOption, type RawOptions } from './option.ts';
import { createOptions } from './options.ts';
import { booleanOf, configErrorAt, entriesOf, itemsOf, originOf, textOf, type YamlNode } from './tree.ts';
import { resolveValues } from './values.ts';

/**
 * The configuration file that a flag or the environment names, undefined where none is named. Rejects with a
 * `ConfigError` where it cannot be read or is no YAML.
 */
export async function readConfigFile(
  flags: RawOptions,
  environment: Environment,
  files: Files,
): Promise<YamlNode | undefined> {
  const options = { 'config.file': createOptions([])['config.file'] };
  const given = [flags, optionsInEnvironment(environment, options)];
  const { 'config.file': file } = resolveValues(options, given);
  if (file === undefined) return undefined;
  let text: string;
  try {
    text = await files.read(file);
  } catch (error) {
    const origin = given.find((source) => source.has('config.file'))?.get('config.file')?.origin;
    throw new ConfigError(`${origin}: ${file} ${unreadable(error)}`);
  }
  // Loaded here: YAML costs 50 ms at start, and most configurations have no file.
  const { parseYamlTree } = await import('./yaml-tree.ts');
  const tree = parseYamlTree(text, file);
  return { file, path: '', line: tree.line, tree };
}

/** A part of the file by its key at the top, undefined where it is not there. */
export function sectionOf(root: YamlNode | undefined, key: string): YamlNode | undefined {
  const entry = root?.tree.kind === 'mapping' ? root.tree.entries.get(key) : undefined;
  return root === undefined || entry === undefined ? undefined : { ...root, path: key, ...entry };
}

/** Which keys a mapping may have; `undefined` below a key leaves its content to another reader. */
type KnownKeys = Map<string, KnownKeys | undefined>;

/** What a configuration file gives for a table of options; keys beside them are not looked at. */
export function optionsInFile(root: YamlNode, options: OptionTable): RawOptions {
  const given = new Map<string, RawOption>();
  for (const [name, option] of Object.entries(options)) {
    const node = find(root, fileKeyOf(name, option));
    if (node !== undefined) given.set(name, { texts: textsAt(node, option), origin: originOf(node) });
  }
  return given;
}

/** Throws a `ConfigError` for the first key that is neither an option's nor one of the `others` at the top. */
export function refuseUnknownKeys(root: YamlNode, options: OptionTable, others: readonly string[]): void {
  const known: KnownKeys = new Map(others.map((key) => [key, undefined]));
  for (const [name, option] of Object.entries(options)) {
    const path = fileKeyOf(name, option) ?? [];
    let level = known;
    for (const key of path.slice(0, -1)) {
      const below = level.get(key) ?? new Map();
      level.set(key, below);
      level = below;
    }
    const last = path.at(-1);
    if (last !== undefined) level.set(last, undefined);
  }
  refuseUnknown(root, known);
}

function refuseUnknown(node: YamlNode, known: KnownKeys): void {
  for (const [key, child] of entriesOf(node, [...known.keys()])) {
    const below = known.get(key);
    if (below !== undefined) refuseUnknown(child, below);
  }
}

function find(root: YamlNode, path: readonly string[] | undefined): YamlNode | undefined {
  let node = root;
  for (const key of path ?? []) {
    const entry = node.tree.kind === 'mapping' ? node.tree.entries.get(key) : undefined;
    if (entry === undefined) return undefined;
    node = { ...node, path: node.path === '' ? key : `${node.path}.${key}`, ...entry };
  }
  return path === undefined ? undefined : node;
}

/** A repeatable option's value may be a list. */
function textsAt(node: YamlNode, option: Option): readonly string[] {
  if (option.repeatable !== true || node.tree.kind !== 'list') return [scalarOf(node, option)];
  return itemsOf(node).map((item) => scalarOf(item, option));
}

function scalarOf(node: YamlNode, option: Option): string {
  const { tree } = node;
  if (tree.kind === 'mapping' || tree.kind === 'list') throw configErrorAt(node, 'must be a single value');
  if (tree.kind === 'empty') throw configErrorAt(node, 'is empty');
  switch (option.kind) {
    case 'boolean':
      return String(booleanOf(node));
    case 'integer':
    case 'number':
      if (tree.kind !== 'number') throw configErrorAt(node, 'must be a number, without quotes');
      return tree.text;
    case 'duration':
    case 'days':
    case 'size':
      return tree.text;
    default:
      return textOf(node);
  }
}
