import { fileKeys } from '../../src/config/file-keys.ts';
import { fileKeyOf, type Option, type OptionTable } from '../../src/config/option.ts';
import { number, type Schema, strict } from './schema-parts.ts';

/** Keys that the chart sets through its own values. */
const DECIDED: ReadonlySet<string> = new Set([
  'org',
  'api.base-url',
  'api.app-url',
  'shard',
  'total-shards',
  'storage.path',
  'storage.url',
  'web.listen-address',
  'web.telemetry-path',
  'web.enable-lifecycle',
  'web.config.file',
  'web.open-health',
]);

type Tree = Map<string, Tree | Schema>;

/** The schema of `config`: the keys of the exporter's configuration file, without those that the chart sets. */
export function configSchema(options: OptionTable): Schema {
  const root: Tree = new Map();
  for (const [name, option] of Object.entries(options)) {
    const path = DECIDED.has(name) ? undefined : fileKeyOf(name, option);
    if (path !== undefined) put(root, path, valueSchema(option));
  }
  // The exporter validates their values itself, with better messages than a schema allows.
  for (const { path } of fileKeys) if (!path.includes('[]')) put(root, path.split('.'), {});
  return schemaOf(root);
}

function put(tree: Tree, path: readonly string[], schema: Schema): void {
  const [key = '', ...rest] = path;
  const below = tree.get(key);
  if (rest.length === 0) {
    tree.set(key, schema);
    return;
  }
  const next = below instanceof Map ? below : new Map();
  tree.set(key, next);
  put(next, rest, schema);
}

function schemaOf(tree: Tree): Schema {
  const members = [...tree].map(([key, below]) => [key, below instanceof Map ? schemaOf(below) : below]);
  return strict(Object.fromEntries(members));
}

function valueSchema({ kind, choices, repeatable }: Option): Schema {
  if (repeatable) return {};
  if (choices !== undefined) return { enum: choices };
  switch (kind) {
    case 'boolean':
      return { type: 'boolean' };
    case 'integer':
      return { type: 'integer' };
    case 'number':
      return number;
    // `0` needs no unit, nor does a number of bytes.
    case 'duration':
    case 'days':
    case 'size':
      return { type: ['string', 'integer'] };
    default:
      return { type: 'string', minLength: 1 };
  }
}
