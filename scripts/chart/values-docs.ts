import { parse } from 'yaml';
import { isObject } from '../../src/catalog/object.ts';

/** A value that an operator may set, as described by the comments of the values file. */
interface DocumentedValue {
  readonly section: string;
  readonly path: readonly string[];
  readonly description: string;
  readonly default: unknown;
}

/**
 * Parses a values file: a comment directly above a key describes it, `## ` begins a section, and a key whose members are
 * described is not a value itself. Throws if a value has no description.
 */
export function documentedValues(text: string): readonly DocumentedValue[] {
  const tree: unknown = parse(text);
  const found: DocumentedValue[] = [];
  const above: string[] = [];
  let section = '';
  let comment: string[] = [];
  for (const line of text.split('\n')) {
    const [, heading] = /^## (.*)$/.exec(line) ?? [];
    const [, remark] = /^ *# ?(.*)$/.exec(line) ?? [];
    const [, indent, key] = /^( *)([A-Za-z]\w*):/.exec(line) ?? [];
    if (heading !== undefined) section = heading;
    else if (remark !== undefined) comment.push(remark);
    else if (indent !== undefined && key !== undefined) {
      above.length = indent.length / 2;
      above.push(key);
      const path = [...above];
      if (comment.length > 0) {
        found.push({ section, path, description: comment.join(' '), default: valueAt(tree, path) });
      }
      comment = [];
    } else comment = [];
  }
  const values = found.filter((value) => !found.some((other) => isBelow(other, value)));
  refuseUndocumented(tree, [], values);
  return values;
}

function isBelow(value: DocumentedValue, other: DocumentedValue): boolean {
  return value.path.length > other.path.length && other.path.every((key, index) => value.path[index] === key);
}

function valueAt(tree: unknown, path: readonly string[]): unknown {
  let value = tree;
  for (const key of path) value = isObject(value) ? value[key] : undefined;
  return value;
}

function refuseUndocumented(
  tree: unknown,
  path: readonly string[],
  values: readonly DocumentedValue[],
): void {
  const name = path.join('.');
  if (values.some((value) => value.path.join('.') === name)) return;
  if (!isObject(tree) || Object.keys(tree).length === 0)
    throw new Error(`helm/values.yaml: ${name} has no comment`);
  for (const [key, below] of Object.entries(tree)) refuseUndocumented(below, [...path, key], values);
}
