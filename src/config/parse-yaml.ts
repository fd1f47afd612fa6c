import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type YAMLMap,
} from 'yaml';
import { ConfigError } from '../text/errors.ts';
import type { YamlNode } from './validate.ts';

// Far above any real file; a few nested aliases would otherwise expand to billions of nodes.
const MAX_NODES = 100_000;
const MAX_DEPTH = 32;
const MAX_SHOWN_KEY = 60;

/** Whether messages may repeat words of a file. */
type Words = 'quoted' | 'unquoted';

/**
 * Parses a YAML text into nodes with line numbers; throws a `ConfigError` with file and line, which quotes the text
 * only if its words may be shown. A key is the text as it is written: `007` and an id of 19 digits are no numbers. A mapping has
 * the members of those that its key `<<` names, where it has none of its own.
 */
export function parseYaml(text: string, file: string, words: Words = 'quoted'): YamlNode {
  const lines = new LineCounter();
  // Keys that are given twice are found below: the parser may locate one at the end of the line before.
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false, version: '1.2' } as const;
  const document = parseDocument(text, options);
  const flaw = document.errors[0] ?? document.warnings[0];
  if (flaw !== undefined) {
    const at = `${file}:${lines.linePos(flaw.pos[0]).line}`;
    if (words === 'unquoted') throw invalid(at);
    if (flaw.code === 'MULTIPLE_DOCS') throw new ConfigError(`${at}: contains a second document`);
    throw new ConfigError(`${at}: is not valid YAML: ${firstLine(flaw.message)}`);
  }
  const reader = new NodeReader(document, lines, file, words);
  return reader.node(document.contents, '', reader.lineOf(document.contents, 1), 0);
}

function invalid(at: string): ConfigError {
  return new ConfigError(`${at}: is not valid YAML`, 'quote keys that begin with * or contain a colon');
}

/** Reads the nodes of a document. */
class NodeReader {
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #file: string;
  readonly #words: Words;
  /** Number of nodes read so far. */
  #count: number;

  constructor(document: Document, lines: LineCounter, file: string, words: Words) {
    this.#document = document;
    this.#lines = lines;
    this.#file = file;
    this.#words = words;
    this.#count = 0;
  }

  node(yaml: unknown, path: string, line: number, depth: number): YamlNode {
    this.#count += 1;
    if (this.#count > MAX_NODES || depth > MAX_DEPTH) {
      throw new ConfigError(`${this.#file}: is too large or too deeply nested`);
    }
    if (isAlias(yaml)) return this.node(this.#anchored(yaml, line), path, line, depth + 1);
    const at = { file: this.#file, path, line };
    if (isSeq(yaml)) {
      const items = yaml.items.map((item, index) =>
        this.node(item, `${path}[${index}]`, this.lineOf(item, line), depth + 1),
      );
      const children = new Map(items.map((item, index) => [String(index), item]));
      return { ...at, children, value: items.map(({ value }) => value) };
    }
    if (!isMap(yaml)) return { ...at, children: new Map(), value: isScalar(yaml) ? yaml.value : null };
    const children = this.#members(yaml, path, line, depth);
    return {
      ...at,
      children,
      value: Object.fromEntries([...children].map(([key, { value }]) => [key, value])),
    };
  }

  #members(yaml: YAMLMap, path: string, line: number, depth: number): Map<string, YamlNode> {
    const children = new Map<string, YamlNode>();
    const merged: YamlNode[] = [];
    for (const { key, value } of yaml.items) {
      const keyLine = this.lineOf(key, line);
      if (!isScalar(key)) throw new ConfigError(`${this.#file}:${keyLine}: keys must be plain words`);
      const name = key.source ?? String(key.value);
      if (name === '<<' && key.type === 'PLAIN') {
        const sources = isSeq(value) ? value.items : [value];
        merged.push(...sources.map((source) => this.#mapping(source, path, keyLine, depth)));
        continue;
      }
      if (children.has(name)) throw this.#duplicate(name, keyLine);
      const below = path === '' ? shown(name) : `${path}.${shown(name)}`;
      children.set(name, this.node(value, below, keyLine, depth + 1));
    }
    // The first of several mappings takes precedence.
    for (const [name, node] of merged.flatMap((source) => [...source.children])) {
      if (!children.has(name)) children.set(name, node);
    }
    return children;
  }

  #duplicate(name: string, line: number): ConfigError {
    const problem = this.#words === 'unquoted' ? 'is listed twice' : `duplicate key ${shown(name)}`;
    return new ConfigError(`${this.#file}:${line}: ${problem}`);
  }

  #mapping(source: unknown, path: string, line: number, depth: number): YamlNode {
    const yaml = isAlias(source) ? this.#anchored(source, line) : source;
    if (!isMap(yaml))
      throw new ConfigError(`${this.#file}:${line}: << must name a mapping, or a list of mappings`);
    return this.node(yaml, path, line, depth + 1);
  }

  #anchored(alias: Alias, line: number): unknown {
    const found = alias.resolve(this.#document);
    if (found !== undefined) return found;
    const at = `${this.#file}:${line}`;
    if (this.#words === 'unquoted') throw invalid(at);
    throw new ConfigError(`${at}: *${shown(alias.source)} has no anchor before it`);
  }

  lineOf(node: unknown, fallback: number): number {
    const start = isNode(node) ? node.range?.[0] : undefined;
    return start === undefined ? fallback : this.#lines.linePos(start).line;
  }
}

/** Keys come from the operator and can have any length. */
function shown(key: string): string {
  return key.replace(/\p{C}/gu, '?').slice(0, MAX_SHOWN_KEY);
}

function firstLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/:$/, '').slice(0, 200);
}
