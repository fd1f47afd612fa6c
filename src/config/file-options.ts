import * as z from 'zod';
import { fileKeyOf, type Option, type OptionTable, type RawOption, type RawOptions } from './option.ts';
import { section, text, validated } from './validate.ts';
import { childrenOf, originOf, type YamlNode } from './yaml-node.ts';

/** The values that a configuration file gives for a table of options; other keys are ignored. */
export function optionsInFile(root: YamlNode, options: OptionTable): RawOptions {
  const given = new Map<string, RawOption>();
  for (const [name, option] of Object.entries(options)) {
    const node = find(root, fileKeyOf(name, option));
    if (node !== undefined) given.set(name, { texts: textsAt(node, option), origin: originOf(node) });
  }
  return given;
}

/** Throws a `ConfigError` for the first key that is neither an option's nor one of the `others` at the top level. */
export function refuseUnknownKeys(root: YamlNode, options: OptionTable, others: readonly string[]): void {
  const known: KnownKeys = new Map(others.map((key) => [key, new Map()]));
  for (const [name, option] of Object.entries(options)) {
    let level = known;
    for (const key of fileKeyOf(name, option) ?? []) {
      const below = level.get(key) ?? new Map();
      level.set(key, below);
      level = below;
    }
  }
  validated(schemaOf(known), root);
}

/** The keys of a mapping; a key without keys below it has a value, which is read elsewhere. */
type KnownKeys = Map<string, KnownKeys>;

function schemaOf(keys: KnownKeys): z.ZodType {
  const shape = [...keys].map(([key, below]) => {
    return [key, (below.size === 0 ? z.unknown() : schemaOf(below)).optional()] as const;
  });
  return section(z.strictObject(Object.fromEntries(shape)));
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

/** The source texts of an option's value, which may be a list if the option is repeatable. */
function textsAt(node: YamlNode, option: Option): readonly string[] {
  const isList = option.repeatable === true && node.tree.kind === 'list';
  validated(isList ? z.array(valueSchema(option)) : valueSchema(option), node);
  return (isList ? childrenOf(node) : [node]).map(({ tree }) => ('text' in tree ? tree.text : ''));
}

/** Checks only the type; the format of a text is the same for flags and the environment. */
function valueSchema({ kind }: Option): z.ZodType {
  const single = z.unknown().superRefine((value, context) => {
    if (value === null) context.addIssue({ code: 'custom', message: 'is empty', continue: false });
    if (value === null || typeof value !== 'object') return;
    context.addIssue({ code: 'custom', message: 'must be a single value', continue: false });
  });
  switch (kind) {
    case 'boolean':
      return single.pipe(z.boolean());
    case 'integer':
    case 'number':
      return single.refine((value) => typeof value === 'number', {
        error: 'must be a number, without quotes',
      });
    case 'duration':
    case 'days':
    case 'size':
      return single;
    default:
      return single.pipe(text());
  }
}
