import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';

const SUBSTITUTES: Readonly<Record<string, string>> = {
  'src/runtime/installation.ts': 'scripts/bundle/installation.ts',
  'src/web-config/passwords/thread.ts': 'scripts/bundle/thread.ts',
};

/** Bundles an entry into one CommonJS function expression of (exports, require, module, __filename, __dirname). */
async function bundleEntry(root: string, entry: string, version: string): Promise<string> {
  const { output } = await build({
    input: join(root, entry),
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
    output: { format: 'cjs', codeSplitting: false, minify: { compress: true, mangle: false, codegen: true } },
  });
  const [chunk] = output;
  if (output.length !== 1 || chunk === undefined) throw new Error(`${entry}: more than one file`);
  // The namespaces of Node's own modules would be read whole here; the loader's stand-ins for them need no copy.
  return chunk.code.replaceAll(/\b(node_\w+)=__toESM\(\1,1\)/g, '$1=$1');
}

/** Writes the bundles with their code caches to `folder` and gives the files by the names of their assets. */
export async function bundleAll(
  root: string,
  folder: string,
  node: string,
): Promise<Readonly<Record<string, string>>> {
  mkdirSync(folder, { recursive: true });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const assets: Record<string, string> = { 'notification.wav': join(root, 'assets/notification.wav') };
  const entries = { main: 'scripts/bundle/main-entry.ts', hook: 'src/hook.ts' };
  for (const [name, entry] of Object.entries(entries)) {
    const source = join(folder, `${name}.js`);
    const code = await bundleEntry(root, entry, version);
    writeFileSync(source, `(function (exports, require, module, __filename, __dirname) {${code}\n})`);
    const cache = join(folder, `${name}.cache`);
    execFileSync(node, [join(root, 'scripts/bundle/code-cache.cjs'), source, cache], { stdio: 'inherit' });
    assets[`${name}.js`] = source;
    assets[`${name}.cache`] = cache;
  }
  const thread = join(folder, 'thread.js');
  writeFileSync(thread, await bundleEntry(root, 'src/web-config/passwords/comparing-thread.ts', version));
  assets['thread.js'] = thread;
  return assets;
}
