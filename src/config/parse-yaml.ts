import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { ConfigError } from '../runtime/errors.ts';
import type { YamlNode } from './yaml-node.ts';

// Far above any real file; a few nested aliases would otherwise expand to billions of nodes.
const MAX_NODES = 100_000;
const MAX_DEPTH = 32;
const MAX_SHOWN_KEY = 60;

/**
 * Parses a YAML text into nodes with line numbers; throws a `ConfigError` with file and line, which quotes the text
 * only if its words may be shown.
 */
export function parseYaml(text: string, file: string, words: 'quoted' | 'unquoted' = 'quoted'): YamlNode {
  const lines = new LineCounter();
  // Keys that are given twice are found below: the parser may locate one at the end of the line before.
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false, version: '1.2' } as const;
  const document = parseDocument(text, options);
  const flaw = document.errors[0] ?? document.warnings[0];
  if (flaw !== undefined) {
    const at = `${file}:${lines.linePos(flaw.pos[0]).line}`;
    const hint = 'quote keys that begin with * or contain a colon';
    if (words === 'unquoted') throw new ConfigError(`${at}: is not valid YAML`, hint);
    if (flaw.code === 'MULTIPLE_DOCS') throw new ConfigError(`${at}: contains a second document`);
    throw new ConfigError(`${at}: is not valid YAML: ${firstLine(flaw.message)}`);
  }
  let count = 0;
  function nodeOf(yaml: unknown, path: string, line: number, depth: number): YamlNode {
    count += 1;
    if (count > MAX_NODES || depth > MAX_DEPTH) {
      throw new ConfigError(`${file}: is too large or too deeply nested`);
    }
    if (isAlias(yaml)) return nodeOf(yaml.resolve(document), path, line, depth + 1);
    const children = new Map<string, YamlNode>();
    const at = { file, path, line, children };
    if (isSeq(yaml)) {
      for (const [index, item] of yaml.items.entries()) {
        children.set(String(index), nodeOf(item, `${path}[${index}]`, lineOf(item, line), depth + 1));
      }
      return { ...at, value: [...children.values()].map(({ value }) => value) };
    }
    if (!isMap(yaml)) return { ...at, value: isScalar(yaml) ? yaml.value : null };
    for (const { key, value } of yaml.items) {
      const keyLine = lineOf(key, line);
      if (!isScalar(key)) throw new ConfigError(`${file}:${keyLine}: keys must be plain words`);
      const name = String(key.value);
      if (children.has(name)) {
        const problem = words === 'unquoted' ? 'is listed twice' : `duplicate key ${shown(name)}`;
        throw new ConfigError(`${file}:${keyLine}: ${problem}`);
      }
      const below = path === '' ? shown(name) : `${path}.${shown(name)}`;
      children.set(name, nodeOf(value, below, keyLine, depth + 1));
    }
    return { ...at, value: Object.fromEntries([...children].map(([key, { value }]) => [key, value])) };
  }
  function lineOf(node: unknown, fallback: number): number {
    const start = isNode(node) ? node.range?.[0] : undefined;
    return start === undefined ? fallback : lines.linePos(start).line;
  }
  return nodeOf(document.contents, '', lineOf(document.contents, 1), 0);
}

/** Keys come from the operator and can have any length. */
function shown(key: string): string {
  return key.replace(/\p{C}/gu, '?').slice(0, MAX_SHOWN_KEY);
}

function firstLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/:$/, '').slice(0, 200);
}
