import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { ConfigError } from '../runtime/errors.ts';
import type { Entry, Tree, YamlNode } from './yaml-node.ts';

// Far above any real file; a few nested aliases would otherwise expand to billions of nodes.
const MAX_NODES = 100_000;
const MAX_DEPTH = 32;

/**
 * Parses a YAML text into nodes with line numbers; throws a `ConfigError` with file and line, which quotes the text
 * only if its words may be shown.
 */
export function parseYaml(text: string, file: string, words: 'quoted' | 'unquoted' = 'quoted'): YamlNode {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2' });
  const flaw = document.errors[0] ?? document.warnings[0];
  if (flaw !== undefined) {
    const at = `${file}:${lines.linePos(flaw.pos[0]).line}`;
    if (words === 'unquoted') {
      const again = flaw.code === 'DUPLICATE_KEY';
      throw new ConfigError(
        `${at}: ${again ? 'is listed twice' : 'is not valid YAML'}`,
        again ? undefined : 'quote keys that begin with * or contain a colon',
      );
    }
    if (flaw.code === 'DUPLICATE_KEY') {
      const key = /^[^\s:#]{1,60}/.exec(text.slice(flaw.pos[0]))?.[0] ?? '';
      throw new ConfigError(`${at}: duplicate key ${key}`);
    }
    if (flaw.code === 'MULTIPLE_DOCS') throw new ConfigError(`${at}: contains a second document`);
    throw new ConfigError(`${at}: is not valid YAML: ${firstLine(flaw.message)}`);
  }
  const tree = unfold(document, document.contents, file, lines);
  return { file, path: '', line: tree.line, tree };
}

function unfold(document: Document, contents: Node | null, file: string, lines: LineCounter): Tree {
  let count = 0;
  function visit(node: unknown, depth: number, line: number): Tree {
    count += 1;
    if (count > MAX_NODES || depth > MAX_DEPTH) {
      throw new ConfigError(`${file}: is too large or too deeply nested`);
    }
    if (isAlias(node)) return visit(node.resolve(document), depth + 1, lineOf(node, line));
    const at = lineOf(node, line);
    if (isMap(node)) {
      const entries = new Map<string, Entry>();
      for (const { key, value } of node.items) {
        const keyLine = lineOf(key, at);
        if (!isScalar(key)) throw new ConfigError(`${file}:${keyLine}: keys must be plain words`);
        entries.set(String(key.value), { line: keyLine, tree: visit(value, depth + 1, keyLine) });
      }
      return { kind: 'mapping', line: at, entries };
    }
    if (isSeq(node)) {
      return { kind: 'list', line: at, items: node.items.map((item) => visit(item, depth + 1, at)) };
    }
    if (!isScalar(node) || node.value === null) return { kind: 'empty', line: at };
    const { value, source } = node;
    if (typeof value === 'string') return { kind: 'text', line: at, text: value };
    return {
      kind: typeof value === 'boolean' ? 'boolean' : 'number',
      line: at,
      text: source ?? String(value),
    };
  }
  function lineOf(node: unknown, fallback: number): number {
    const start = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
    return start === undefined ? fallback : lines.linePos(start).line;
  }
  return visit(contents, 0, 1);
}

function firstLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/:$/, '').slice(0, 200);
}
