import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { documentedValues } from '../../scripts/chart/values-docs.ts';
import { withThresholds } from '../../scripts/chart/values-file.ts';
import { valuesSchema } from '../../scripts/chart/values-schema.ts';
import { collectors } from '../../src/collectors/index.ts';
import { createOptions } from '../../src/config/options.ts';

const text = readFileSync(new URL('../../helm/values.yaml', import.meta.url), 'utf8');

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Free-form values have keys that the values file need not show. */
const FREE = /^(global|config|organizations|prometheusRule\.overrides|(liveness|readiness|startup)Probe)\b/;

function pathsOf(schema: Schema, path = ''): readonly string[] {
  const entries = Object.entries(schema.properties ?? {});
  if (entries.length === 0) return [path];
  return entries.flatMap(([key, below]) => pathsOf(below, path === '' ? key : `${path}.${key}`));
}

function has(tree: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true;
  if (tree === null || typeof tree !== 'object' || !(key in tree)) return false;
  return has(Object.entries(tree).find(([name]) => name === key)?.[1], rest);
}

describe('the values of the chart', () => {
  test('are all in the values file, with their meaning', () => {
    const schema: Schema = JSON.parse(valuesSchema(createOptions(collectors), text));
    const tree: unknown = parse(text);
    const missing = pathsOf(schema).filter((path) => !FREE.test(path) && !has(tree, path.split('.')));
    expect(missing).toEqual([]);
  });

  test('are described in words, each once', () => {
    const values = documentedValues(text);
    const paths = values.map(({ path }) => path.join('.'));
    expect(new Set(paths).size).toBe(paths.length);
    expect(values.filter(({ section, description }) => section === '' || description.length < 3)).toEqual([]);
  });

  test('without a comment are named', () => {
    expect(() => documentedValues('# one\na: 1\n\nb:\n  c: 2\n')).toThrow(
      'helm/values.yaml: b.c has no comment',
    );
  });

  test('take the thresholds of the alerts from their table', () => {
    const emptied = text.replace(/( {2}thresholds:)\n(?: {4}.*\n)*/, '$1 {}\n');
    expect(emptied).not.toBe(text);
    expect(withThresholds(emptied)).toBe(text);
  });
});
