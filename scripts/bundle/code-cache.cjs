// Writes V8's code cache of a bundle beside its files: `code-cache.cjs FOLDER ENTRY [PART…]`. Run by the Node.js that will
// run the bundle: no other one takes it.
'use strict';
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { Script, constants } = require('node:vm');

const [, , folder, ...files] = process.argv;
const scripts = new Map();
const modules = new Map();

function required(name) {
  if (name.startsWith('./')) return load(name.slice(2));
  return name.startsWith('node:') ? { ...require(name), default: require(name) } : require(name);
}

function load(file) {
  const known = modules.get(file);
  if (known !== undefined) return known.exports;
  const script = new Script(readFileSync(join(folder, file), 'utf8'), {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const bundle = { exports: {} };
  scripts.set(file, script);
  modules.set(file, bundle);
  script.runInThisContext()(bundle.exports, required, bundle, join(folder, file), folder);
  return bundle.exports;
}

// What has run is in the cache too: all that loading calls, and of the hook command what an event goes through.
for (const file of files) load(file);
process.on('exit', () => {
  for (const [file, script] of scripts)
    writeFileSync(join(folder, `${file}.cache`), script.createCachedData());
});
const { hook } = load(files[0]);
if (hook === undefined) process.exit(0);
const home = mkdtempSync(join(tmpdir(), 'agent-platform-exporter-'));
process.on('exit', () => rmSync(home, { recursive: true }));
for (const name of Object.keys(process.env)) if (/_proxy$/i.test(name)) delete process.env[name];
Object.assign(process.env, { HOME: home, XDG_STATE_HOME: home, BUNDLE_TOKEN: 'token' });
const server = createServer((request, response) => {
  request.resume().on('end', () => response.end('{"accepted":1,"duplicates":0,"rejected":0}'));
});
server.listen(0, '127.0.0.1', () => {
  const config = join(home, 'hooks.yaml');
  const url = `http://127.0.0.1:${server.address().port}`;
  writeFileSync(config, `forward: {url: "${url}", token_env: BUNDLE_TOKEN}\n`);
  // It ends the process.
  hook([`--config=${config}`]);
});
