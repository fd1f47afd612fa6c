import { ConfigError } from '../runtime/errors.ts';
import { suggestion } from '../runtime/suggestion.ts';

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

/** An error for an unknown key of a mapping, with the key that was probably meant. */
export function unknownKey(
  parent: YamlNode,
  child: YamlNode,
  key: string,
  known: readonly string[],
): ConfigError {
  const at = `${child.file}:${child.line}: unknown key ${child.path.slice(0, 100)}`;
  if (/^(api_?)?(key|token|secret)$/.test(key) && known.includes('api_key_file')) {
    return new ConfigError(at, 'keys are not accepted in the file itself: use api_key_file or api_key_env');
  }
  const close = suggestion(key, known)?.replace(
    'did you mean ',
    parent.path === '' ? '$&' : `$&${parent.path}.`,
  );
  return new ConfigError(at, close ?? `allowed keys: ${known.join(', ')}`);
}
