import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FOLDERS = ['alerts/src', 'bench', 'dashboards/src', 'scripts', 'src', 'test'];

const EXPORT = /^export (?:async )?(?:function\*?|const|class) (\w+)/gm;
const IMPORT = /\b(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|[^'"{};]+)\s+from\s+['"](\.[^'"]+)['"]/g;
/** Imports of a whole module: any name in the file may be one of its exports. */
const WHOLE_IMPORT = /(?:\bimport\(\s*|\* as \w+ from )['"](\.[^'"]+)['"]/g;

/** Files that are loaded by something else than an import, and by what. */
const LOADED_OTHERWISE: ReadonlyMap<string, string> = new Map([
  ['scripts/bundle/installation.ts', 'scripts/bundle/bundle.ts, in place of a module'],
  ['scripts/bundle/comparing-code.ts', 'scripts/bundle/bundle.ts, in place of a module'],
  ['scripts/bundle/main-entry.ts', 'scripts/bundle/loader.cjs'],
  ['scripts/mutation/plugin.ts', 'Stryker'],
  ['src/hook.ts', 'bin/agent-platform-exporter.js'],
  ['test/support/leftovers.ts', 'vitest.config.ts'],
  ['test/support/limits.ts', 'vitest.config.ts'],
]);

const texts = new Map(
  FOLDERS.flatMap((folder) =>
    globSync('**/*.ts', { cwd: path.join(ROOT, folder) }).map((file) => `${folder}/${file}`),
  )
    .map((file) => file.split(path.sep).join('/'))
    .map((file) => [file, readFileSync(path.join(ROOT, file), 'utf8')]),
);

function targetOf(file: string, name: string): string {
  return path.posix.normalize(path.posix.join(path.posix.dirname(file), name));
}

function importedNames(): Set<string> {
  const found = new Set<string>();
  for (const [file, text] of texts) {
    for (const [, names = '', from = ''] of text.matchAll(IMPORT)) {
      for (const [name] of names.matchAll(/\w+/g)) found.add(`${targetOf(file, from)} ${name}`);
    }
    const whole = [...text.matchAll(WHOLE_IMPORT)].map(([, from = '']) => targetOf(file, from));
    if (whole.length === 0) continue;
    for (const [name] of text.matchAll(/\w+/g)) for (const target of whole) found.add(`${target} ${name}`);
  }
  return found;
}

test('every exported function, class and constant is imported by another file', () => {
  expect(texts.size).toBeGreaterThan(500);
  const imported = importedNames();
  const unused = [...texts]
    .filter(([file]) => !LOADED_OTHERWISE.has(file))
    .flatMap(([file, text]) => [...text.matchAll(EXPORT)].map(([, name]) => `${file} ${name}`))
    .filter((name) => !imported.has(name));
  expect(unused, 'remove it, or the word export').toEqual([]);
});
