import { ConfigError } from '../text/errors.ts';
import { suggestion } from '../text/suggestion.ts';

/** A node of a configuration file with its file, line and path, for messages. */
export interface YamlNode {
  readonly file: string;
  /** Dotted, with indexes: `orgs[1].name`; empty for the whole file. */
  readonly path: string;
  /** The line of its key, if it has one. */
  readonly line: number;
  /** Null if it is empty. */
  readonly value: unknown;
  /** The nodes below it by key or index, in the order of the file. */
  readonly children: ReadonlyMap<string, YamlNode>;
}

/** The node of a plain value that is on one line, as in a CSV file. */
export function nodeOnLine(file: string, line: number, path: string, value: unknown): YamlNode {
  const entries = Object.entries(typeof value === 'object' && value !== null ? value : {});
  const children = entries.map(
    ([key, below]) => [key, nodeOnLine(file, line, `${path}.${key}`, below)] as const,
  );
  return { file, path, line, value, children: new Map(children) };
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
