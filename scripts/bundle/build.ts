// Builds the single executable of this machine's platform: `npm run bundle [-- --output=FILE]`.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { inject } from 'postject';
import { bundleAll } from './bundle.ts';
import { licenseTexts } from './licenses.ts';

const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const root = fileURLToPath(new URL('../../', import.meta.url));
const suffix = process.platform === 'win32' ? '.exe' : '';
const { values } = parseArgs({
  options: {
    output: { type: 'string', default: join(root, `build/agent-platform-exporter${suffix}`) },
    // Node.js' own license text, if it is not next to the binary.
    'node-license': { type: 'string' },
  },
});
const output = resolve(values.output);
const work = join(dirname(output), 'bundle');
const node = process.execPath;

const assets = { ...(await bundleAll(root, work, node)), 'licenses.txt': join(work, 'licenses.txt') };
writeFileSync(assets['licenses.txt'], licenseTexts(root, nodeLicense()));

const config = join(work, 'sea.json');
const blob = join(work, 'sea.blob');
writeFileSync(
  config,
  JSON.stringify({
    main: join(root, 'scripts/bundle/loader.cjs'),
    output: blob,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    assets,
  }),
);
execFileSync(node, ['--experimental-sea-config', config], { stdio: ['ignore', 'ignore', 'inherit'] });

mkdirSync(dirname(output), { recursive: true });
copyFileSync(node, output);
chmodSync(output, 0o755);
// Changing the binary invalidates the macOS signature; an ad-hoc signature lets it start.
if (process.platform === 'darwin') execFileSync('codesign', ['--remove-signature', output]);
if (process.platform === 'linux') strip(output);
await inject(output, 'NODE_SEA_BLOB', readFileSync(blob), {
  sentinelFuse: FUSE,
  ...(process.platform === 'darwin' ? { machoSegmentName: 'NODE_SEA' } : {}),
});
if (process.platform === 'darwin') execFileSync('codesign', ['--sign', '-', output]);
console.log(output);

function nodeLicense(): string {
  const binary = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const candidates = [
    '../LICENSE',
    'LICENSE',
    `../node_modules/${binary}/LICENSE`,
    '../share/doc/node/LICENSE',
  ];
  const beside = candidates.map((place) => join(dirname(node), place));
  const file = [values['node-license'], ...beside].find((path) => path !== undefined && existsSync(path));
  if (file === undefined)
    throw new Error(`no license text beside ${node}: pass its file with --node-license=FILE`);
  return readFileSync(file, 'utf8');
}

/** Node.js includes its symbols, a tenth of its size. Without binutils the file is larger. */
function strip(file: string): void {
  const { error, status } = spawnSync('strip', ['--strip-unneeded', file], { stdio: 'inherit' });
  if (error === undefined && status !== 0) throw new Error('strip failed');
}
