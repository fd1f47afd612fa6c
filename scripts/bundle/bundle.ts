import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type CodeSplittingOptions } from 'rolldown';

const SUBSTITUTES: Readonly<Record<string, string>> = {
  'src/files/installation.ts': 'scripts/bundle/installation.ts',
  'src/web-config/passwords/comparing-code.ts': 'scripts/bundle/comparing-code.ts',
};

interface Entry {
  readonly name: string;
  readonly entry: string;
  /** Whether dynamically imported modules become separate files. */
  readonly split?: boolean;
  /** Whether it is run by a worker thread, from its text. */
  readonly isThread?: boolean;
}

/** The hook command is run with this once, so that its code cache contains what an event needs. */
const EVENT = JSON.stringify({ hook_event_name: 'PostToolUse', session_id: 'bundle', tool_name: 'Read' });

/** An agent waits for the hook command, which therefore loads only what the current event needs. */
const ENTRIES: readonly Entry[] = [
  { name: 'main', entry: 'scripts/bundle/main-entry.ts' },
  { name: 'hook', entry: 'src/hook.ts', split: true },
  { name: 'comparing-thread', entry: 'src/web-config/passwords/comparing-thread.ts', isThread: true },
];

/** Puts everything needed to load an entry into its own file, because each file costs a little. */
export const AT_ONCE: CodeSplittingOptions = {
  includeDependenciesRecursively: false,
  groups: [{ name: 'core', tags: ['$initial'] }],
};

/** Wraps the code in a function, as Node.js does with its own. */
const HEAD = '(function (exports, require, module, __filename, __dirname) {';

/**
 * Bundles an entry into CommonJS, by file name: the entry itself and, if `split`, one file for each dynamically imported
 * module.
 */
async function bundleEntry(
  root: string,
  { name, entry, split = false }: Entry,
  version: string,
): Promise<ReadonlyMap<string, string>> {
  const { output } = await build({
    input: { [name]: join(root, entry) },
    platform: 'node',
    write: false,
    logLevel: 'silent',
    transform: { define: { BUNDLED_VERSION: JSON.stringify(version) } },
    plugins: [
      {
        name: 'substitutes',
        load(id) {
          const own = id.startsWith(root)
            ? id
                .slice(root.length)
                .replace(/^[/\\]/, '')
                .replaceAll('\\', '/')
            : '';
          const file = SUBSTITUTES[own];
          return file === undefined ? null : readFileSync(join(root, file), 'utf8');
        },
      },
    ],
    output: {
      format: 'cjs',
      codeSplitting: split && AT_ONCE,
      entryFileNames: '[name].js',
      chunkFileNames: `${name}-[name].js`,
      minify: { compress: true, mangle: false, codegen: true },
    },
  });
  const code = new Map<string, string>();
  for (const file of output) {
    if (file.type !== 'chunk') throw new Error(`${entry}: ${file.fileName} is not JavaScript`);
    // Namespaces of Node's own modules would be copied whole here; the loader's stand-ins for them need no copy.
    code.set(file.fileName, file.code.replaceAll(/\b(node_\w+)=[\w.]+\(\1,1\)/g, '$1=$1'));
  }
  return code;
}

/** Writes the bundles with their code caches to `folder`; returns the files by asset name. */
export async function bundleAll(
  root: string,
  folder: string,
  node: string,
): Promise<Readonly<Record<string, string>>> {
  mkdirSync(folder, { recursive: true });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const assets: Record<string, string> = { 'notification.wav': join(root, 'assets/notification.wav') };
  for (const entry of ENTRIES) {
    const files = await bundleEntry(root, entry, version);
    for (const [file, code] of files) {
      assets[file] = join(folder, file);
      writeFileSync(join(folder, file), entry.isThread ? code : `${HEAD}${code}\n})`);
    }
    if (entry.isThread) continue;
    execFileSync(node, [join(root, 'scripts/bundle/code-cache.cjs'), folder, ...files.keys()], {
      input: EVENT,
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    for (const file of files.keys()) assets[`${file}.cache`] = join(folder, `${file}.cache`);
  }
  return assets;
}
