import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/commands/table.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const pages = ['README.md', 'SECURITY.md', ...globSync('{docs,helm,alerts}/**/*.md', { cwd: ROOT })];

const flags = new Map(
  await Promise.all(
    commands.map(async ({ name, options }) => {
      const table = await options();
      return [name, new Set(['help', ...Object.keys(table)])] as const;
    }),
  ),
);

/** The command lines of a page that call the program, and what follows its name. */
function callsOn(page: string): readonly { readonly command: string; readonly given: readonly string[] }[] {
  const text = readFileSync(join(ROOT, page), 'utf8').replaceAll(/\\\n */g, '');
  const calls = text.matchAll(
    /(?<=[\n`'"(] *)agent-platform-exporter (history [a-z]+|[a-z][a-z-]*)(?=[\s`'"])([^\n`|;>]*)/g,
  );
  return [...calls].map(([, command = '', rest = '']) => ({
    command,
    given: [...rest.replace(/ #.*/, '').matchAll(/(?<=\s)--([\w.-]+)/g)].map(([, flag = '']) => flag),
  }));
}

describe('the command lines of the pages', () => {
  test('are many', () => expect(pages.flatMap(callsOn).length).toBeGreaterThan(30));

  test.each(pages)('name commands and flags that exist: %s', (page) => {
    const unknown = callsOn(page).flatMap(({ command, given }) => {
      const known = flags.get(command);
      if (known === undefined) return [command];
      return given
        .filter((flag) => !known.has(flag) && !known.has(flag.replace(/^no-/, '')))
        .map((flag) => `${command} --${flag}`);
    });
    expect(unknown).toEqual([]);
  });
});

describe('what the pages name of the repository', () => {
  const all = [...pages, 'AGENTS.md', 'CONTRIBUTING.md'];
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
  const found = (text: string, named: RegExp): readonly string[] =>
    [...text.matchAll(named)].map(([, name = '']) => name);

  test.each(all)('exists, scripts of npm and files: %s', (page) => {
    const text = textOf(page);
    const missing = found(text, /(?:^|[`&(] ?)npm run ([\w:]+)/gm).filter((name) => !(name in scripts));
    const files = [
      ...found(
        text,
        /`((?:alerts|bench|compose|dashboards|docs|helm|packaging|scripts|src|test)\/[\w./-]+)`/g,
      ),
      ...found(text, /\bnode ((?:bench|scripts|src)\/[\w./-]+)/g),
      ...found(text, /\bvitest (?:run )?--project \w+ (test\/[\w./-]+)/g),
    ];
    expect([...missing, ...files.filter((file) => !existsSync(join(ROOT, file)))]).toEqual([]);
  });

  test('is much', () =>
    expect(all.flatMap((page) => found(textOf(page), /(npm run|vitest)/g)).length).toBeGreaterThan(30));
});
