import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { platforms } from '../../src/platforms/list.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SRC = path.join(ROOT, 'src');
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g;

/** The directories that each directory of src may import; `*` allows all. */
const PRIMITIVES = ['files', 'log', 'net', 'text', 'work'];

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  catalog: [],
  text: [],
  files: ['text', 'work'],
  log: ['text', 'work'],
  net: ['files', 'log', 'text', 'work'],
  work: ['text'],
  collectors: ['catalog'],
  platforms: ['catalog', 'collectors'],
  client: ['catalog', ...PRIMITIVES],
  store: ['catalog', ...PRIMITIVES],
  exposition: ['catalog', ...PRIMITIVES],
  scheduler: ['catalog', ...PRIMITIVES],
  pipeline: ['catalog', 'store', 'exposition', 'client', ...PRIMITIVES],
  page: ['catalog', 'collectors', 'pipeline', 'exposition', 'store', ...PRIMITIVES],
  backfill: ['catalog', 'store', 'pipeline', 'exposition', ...PRIMITIVES],
  export: ['backfill', 'catalog', 'pipeline', ...PRIMITIVES],
  server: ['catalog', 'exposition', 'page', ...PRIMITIVES],
  config: ['catalog', 'platforms', ...PRIMITIVES],
  // The hook command's own file is parsed by the same tree of keys and lines as the exporter's.
  agent: ['catalog', 'config', 'store', ...PRIMITIVES],
  intake: ['agent', 'catalog', 'config', 'exposition', 'server', 'store', ...PRIMITIVES],
  'web-config': ['config', 'server', ...PRIMITIVES],
  sandbox: [],
  commands: ['*'],
  app: [
    ...['catalog', 'client', 'collectors', 'config', 'exposition', 'intake', 'page', 'pipeline', 'platforms'],
    ...['scheduler', 'server', 'store', 'web-config', ...PRIMITIVES],
  ],
  'main.ts': ['*'],
  'hook.ts': ['agent', 'config', ...PRIMITIVES],
};

/** Imports and calls that are allowed in some places only, and why. */
const BANNED: readonly { readonly what: RegExp; readonly except: RegExp; readonly why: string }[] = [
  { what: /process\.env/, except: /^config\//, why: 'the environment is read in config/ only' },
  {
    what: /Date\.now\(\)|new Date\(\)/,
    except: /^work\/clock\.ts$/,
    why: 'time comes from the injected clock',
  },
  { what: /\bconsole\./, except: /^(commands\/|main\.ts$)/, why: 'only commands speak to the terminal' },
  {
    what: /tmpdir\b|TMPDIR|['"`]\/(?:var\/)?tmp\b|enableCompileCache/,
    except: /^$/,
    why: 'no file is in a directory that other users share',
  },
  { what: /\bcreateFake|\bFake[A-Z]/, except: /^$/, why: 'doubles for tests are in test/support' },
  { what: /^(?:let|var)\s/m, except: /^$/, why: 'no module keeps mutable state' },
  {
    what: /^(?:export )?const \w+(?:: (?!readonly |Readonly)[^=]+)? = (?:new (?:Map|WeakMap|Array)\b[^;]*\(\)|\[\]);/m,
    except: /^$/,
    why: 'no module keeps mutable state',
  },
];

/** What a command says of the simulated platform. */
const SIMULATED = /curl -H/;
/** Labels, their values and columns of this product that a platform's fields share their names with. */
const OWN = new Set([
  ...['primary_model', 'primary_model_tier', 'delegation_level', 'user_messages', 'tool_calls'],
  ...['input_tokens', 'output_tokens', 'pull_requests'],
]);

const files = globSync('**/*.ts', { cwd: SRC }).map((file) => file.split(path.sep).join('/'));

function folderOf(file: string): string {
  return file.split('/')[0] ?? file;
}

function importsOf(file: string, folder = SRC): string[] {
  const text = readFileSync(path.join(folder, file), 'utf8');
  return [...text.matchAll(IMPORT)]
    .map((match) => match[1] ?? match[2] ?? '')
    .filter((name) => name.startsWith('.'));
}

describe('the layout of src', () => {
  test('every folder has its place in the dependency table', () => {
    expect([...new Set(files.map(folderOf))].filter((folder) => !(folder in ALLOWED))).toEqual([]);
  });

  test('imports follow the dependency table', () => {
    const violations: string[] = [];
    for (const file of files) {
      const from = folderOf(file);
      for (const name of importsOf(file)) {
        const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), name));
        const to = target.startsWith('..') ? target : folderOf(target);
        const allowed = ALLOWED[from] ?? [];
        const isAllowed =
          to === from || allowed.includes(to) || (allowed.includes('*') && !to.startsWith('..'));
        if (!isAllowed) violations.push(`${file} -> ${name}`);
      }
    }
    expect(violations, 'move the code, or the dependency rule is gone').toEqual([]);
  });

  test('no platform imports another one', () => {
    const vendors = files.filter((file) => /^platforms\/[^/]+\//.test(file));
    const found = vendors.flatMap((file) =>
      importsOf(file)
        .map((name) => path.posix.normalize(path.posix.join(path.posix.dirname(file), name)))
        .filter((to) => /^platforms\/[^/]+\//.test(to) && to.split('/')[1] !== file.split('/')[1])
        .map((to) => `${file} -> ${to}`),
    );
    expect(vendors.length).toBeGreaterThan(5);
    expect(found).toEqual([]);
  });

  test("a platform's paths and field names stand in its folder and its simulated face alone", () => {
    const tables = platforms.flatMap(({ fields }) => Object.values(fields));
    const names = tables.flatMap(({ path: own, members }) => [
      own,
      ...(Object.values(members)
        .join(' ')
        .match(/[a-z]+_[a-z_]+/g) ?? []),
    ]);
    // As a whole text, a property or a part of a path.
    const used = new RegExp(
      `(?<![\\w-])(?:${[...new Set(names)].filter((name) => !OWN.has(name)).join('|')})(?![\\w-])`,
    );
    const found = files
      .filter((file) => !/^(?:platforms\/[^/]+|sandbox)\//.test(file))
      .flatMap((file) =>
        readFileSync(path.join(SRC, file), 'utf8')
          .split('\n')
          .filter((line) => used.test(line) && !SIMULATED.test(line))
          .map((line) => `${file}: ${line.trim()}`),
      );
    expect(names.length).toBeGreaterThan(50);
    expect(found).toEqual([]);
  });

  test('code that outlives a configuration does not import what is built from one', () => {
    const lasting = ['core', 'traffic', 'clients', 'hooks', 'web', 'store'].map((name) => `app/${name}.ts`);
    const perConfiguration = /\/(?:deployment|deployments|org|job|transition|people|service)\.ts$/;
    const found = lasting.filter((file) => importsOf(file).some((name) => perConfiguration.test(name)));
    expect(found).toEqual([]);
  });

  test.each(['src', 'alerts', 'bench', 'dashboards', 'scripts'])(
    'there are no import cycles in %s',
    (name) => {
      const folder = path.join(ROOT, name);
      const found: string[] = [];
      const done = new Set<string>();
      function visit(file: string, trail: readonly string[]): void {
        if (trail.includes(file)) found.push([...trail.slice(trail.indexOf(file)), file].join(' -> '));
        if (done.has(file) || trail.includes(file) || file.startsWith('..') || !file.endsWith('.ts')) return;
        for (const imported of importsOf(file, folder)) {
          visit(path.posix.normalize(path.posix.join(path.posix.dirname(file), imported)), [...trail, file]);
        }
        done.add(file);
      }
      for (const file of globSync('**/*.ts', { cwd: folder })) visit(file.split(path.sep).join('/'), []);
      expect(done.size).toBeGreaterThan(5);
      expect(found, 'move what both need into a separate file').toEqual([]);
    },
  );

  test.each(BANNED)('$what is used only where $why', ({ what, except, why }) => {
    const found = files.filter(
      (file) => !except.test(file) && what.test(readFileSync(path.join(SRC, file), 'utf8')),
    );
    expect(found, why).toEqual([]);
  });
});
